// Verify: verifies datasets offline. Like app.ts, a place where implementations are chosen, without a server.
import { createColumnConverter } from './convert/column-converter.ts'
import { createPartReader } from './convert/duckdb-reader.ts'
import { createFileScanner } from './reading/scanner/file-scanner.ts'
import { withTrailingEmpty } from './reading/scanner/trailing-empty.ts'
import { createScanner } from './reading/scanner/wasm-scanner.ts'
import { type Check, type VerifyProgress, verifyFiles } from './service/verify/verify-dataset.ts'
import { type Damage, type ScrubProgress, scrub } from './store/fs/scrub.ts'
import { verifyChecksum } from './store/receipt-file.ts'

export type { Check, Damage, ScrubProgress, VerifyProgress }

/** Timeout for one part. Milliseconds. */
const jobMsMax = 600_000

/** Verifies dataset directories, all with one thread that writes and one reader, which disposing ends. */
export interface Verifier extends AsyncDisposable {
  /** Yields each check. */
  verify(dir: string, progress: VerifyProgress, signal: AbortSignal): AsyncGenerator<Check>
}

export function createVerifier(): Verifier {
  const options = { jobMsMax, size: 1, logger: { warn() {} } }
  const reader = createPartReader(options)
  const converter = createColumnConverter(options)
  const tools = {
    createScanner: withTrailingEmpty(createFileScanner(createScanner)),
    converter,
    reader,
    verifyChecksum,
  }
  return {
    verify: (dir, progress, signal) => verifyFiles(dir, tools, progress, signal),
    async [Symbol.asyncDispose]() {
      await Promise.all([converter.close(), reader.close()])
    },
  }
}

/** Checks every file of every dataset in a data directory; yields the damaged ones. */
export function scrubDirectory(dir: string, progress: ScrubProgress, signal: AbortSignal): AsyncGenerator<Damage> {
  return scrub(dir, progress, signal)
}

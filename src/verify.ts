// Verify: verifies datasets offline. Like app.ts, a place where implementations are chosen, without a server.
import { createColumnConverter } from './columns/column-converter.ts'
import { createPartReader } from './engine/duckdb-reader.ts'
import { createFileScanner } from './reading/scanner/file-scanner.ts'
import { withTrailingEmpty } from './reading/scanner/trailing-empty.ts'
import { createScanner } from './reading/scanner/wasm-scanner.ts'
import { type DamagedFile, scrubDataset } from './service/scrub/scheduled-scrub.ts'
import { type Check, type VerifyProgress, verifyFiles } from './service/verify/verify-dataset.ts'
import { ReadableDirectory } from './store/fs/readable-directory.ts'
import { verifyChecksum } from './store/receipt-file.ts'
import type { Store } from './store/store.ts'

export type { Check, VerifyProgress }

/** Progress of a scrub, to be polled. */
export interface ScrubProgress {
  datasets: number
  files: number
  bytes: number
}

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

/**
 * Yields each damaged file of a data directory as it is found. A dataset that is removed or replaced meanwhile is skipped, as
 * is a directory without a receipt; files in `derived/` have their own checksums and are recomputed. Memory does not grow
 * with the files. @throws {Error} if the directory cannot be read
 */
export async function* scrubDirectory(
  dir: string,
  progress: ScrubProgress,
  signal: AbortSignal,
): AsyncGenerator<DamagedFile & { readonly id: string }> {
  const directory = new ReadableDirectory(dir)
  const store: Pick<Store, 'receipt' | 'read'> = {
    receipt: (id) => {
      progress.datasets += 1
      progress.files += 1
      return directory.receipt(id)
    },
    read: (of, file) => {
      progress.files += 1
      return directory.read(of, file)
    },
  }
  const pace = async (bytes: number) => {
    signal.throwIfAborted()
    progress.bytes += bytes
  }
  for (const id of await directory.ids()) {
    for (const damage of await scrubDataset({ store, pace }, id, signal)) yield { id, ...damage }
  }
}

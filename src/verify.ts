// Verify: puts together what proves a dataset offline. Like app.ts a place where implementations are chosen, without a server.
import { createPartReader } from './convert/duckdb-reader.ts'
import { createFileScanner } from './reading/file-scanner.ts'
import { createScanner } from './reading/wasm-scanner.ts'
import { type Check, type ProofProgress, prove } from './service/prove.ts'

export type { Check, ProofProgress }

/** Proves one part at most in this time. Milliseconds. */
const jobMsMax = 600_000

/** Proves one dataset directory; gives a check for each thing that was looked at. */
export async function* verifyDataset(dir: string, progress: ProofProgress, signal: AbortSignal): AsyncGenerator<Check> {
  const reader = createPartReader({ jobMsMax, logger: { warn() {} } })
  try {
    yield* prove(dir, { createScanner: createFileScanner(createScanner), reader }, progress, signal)
  } finally {
    await reader.close()
  }
}

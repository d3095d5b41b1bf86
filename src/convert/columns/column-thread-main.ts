// Column thread main: the program of one thread that writes columns, one job at a time.
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { errorCode } from '../../core/storage-error.ts'
import type { ColumnAnswer, ColumnJob } from './column-job.ts'
import { runColumnJob } from './run-column-job.ts'

/** Added to the niceness of the process: a weight of about a third of the usual. */
const niceness = 5

// The thread that receives is waited for by clients; those that write columns take what it leaves. Else each of
// the some thirty waits of a small upload beside large ones is for a core too. Linux has priorities of single threads.
if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority(0) + niceness))

parentPort?.on('message', (job: ColumnJob) => parentPort?.postMessage(answer(job)))

function answer(job: ColumnJob): ColumnAnswer {
  try {
    return { kind: 'result', result: runColumnJob(job) }
  } catch (error) {
    const code = errorCode(error)
    return {
      kind: 'failure',
      code: typeof code === 'string' ? code : null,
      problem: error instanceof Error ? error.message : String(error),
      // A trap may have left the memory of the module as nobody knows.
      isBroken: error instanceof WebAssembly.RuntimeError,
    }
  }
}

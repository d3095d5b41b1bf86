// Column thread main: the program of one thread that writes columns, one job at a time.
import { parentPort } from 'node:worker_threads'
import { errorCode } from '../../core/storage-error.ts'
import type { ColumnAnswer, ColumnJob } from './column-job.ts'
import { runColumnJob } from './run-column-job.ts'

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

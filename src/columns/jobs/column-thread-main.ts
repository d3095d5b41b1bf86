// Column thread main: the program of one thread that writes columns, one job at a time.
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { releaseChunk } from '../../core/byte-stream.ts'
import { writeText } from '../../csv/csv-form.ts'
import { type ColumnResponse, describeFailure, type ThreadRequest } from './column-job.ts'
import { findRepeats } from './find-repeats.ts'
import { runColumnJob } from './run-column-job.ts'

/** Added to the niceness of the process: about a third of the usual weight. */
const niceness = 5

// Clients wait for the thread that receives, so threads that write columns take only what it leaves. Otherwise each of
// the some thirty waits of a small upload beside large ones would also be a wait for a core. On Linux, single threads
// have priorities.
if (process.platform === 'linux') setPriority(0, Math.min(19, getPriority(0) + niceness))

parentPort?.on('message', (request: ThreadRequest) => {
  const response = answer(request)
  const text = 'result' in response && 'buffer' in response.result ? response.result : null
  if ('records' in request.job && text !== request.job.records) releaseChunk(request.job.records)
  parentPort?.postMessage(response, text === null ? [] : [text.buffer])
})

function answer({ job, withdrawal }: ThreadRequest): ColumnResponse {
  try {
    if ('records' in job) return { kind: 'result', result: writeText(job) }
    return { kind: 'result', result: 'segment' in job ? runColumnJob(job, withdrawal) : findRepeats(job, withdrawal) }
  } catch (error) {
    // After a trap, the state of the module's memory is unknown.
    return { kind: 'failure', ...describeFailure(error), isBroken: error instanceof WebAssembly.RuntimeError }
  }
}

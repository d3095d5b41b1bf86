// Converter child: starts one converter process with its limits. Knows nothing of queues or jobs.
import { fileURLToPath } from 'node:url'
import { type Child, startProcess } from '../duckdb/child-process.ts'
import { type Confinement, unconfined } from './confinement.ts'
import type { AnswerMessage, JobMessage } from './job.ts'

const programPath = fileURLToPath(new URL('./child.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; past this one the system refuses memory (Linux only). It counts
 * what is reserved, not what is used: Node begins with 0.6 GB, and see `dataBytesMax` in child.ts.
 */
const dataBytesMax = 4_000_000_000

/** Starts a child that answers each message with one of its own. It dies with this process. */
export function startChild(
  onAnswer: (message: AnswerMessage) => void,
  { wrapper }: Confinement = unconfined,
): Child<JobMessage> {
  const limits = [`--data=${dataBytesMax}`, '--nofile=256']
  return startProcess({ path: programPath, heapMegabytes: 128, limits, wrapper }, onAnswer)
}

// Column converter: profiles and converts segments in threads of this process, small ones on the calling thread.

import { writeText } from '../csv/csv-form.ts'
import type { Converter } from './converter.ts'
import { areExpected, type ColumnJob } from './jobs/column-job.ts'
import { ColumnThreads, type ColumnThreadsOptions } from './jobs/column-threads.ts'
import { isSmall, runInMemory } from './jobs/run-in-memory.ts'

/** Less text is written in less time than it is handed over. */
const textBytesMin = 32_768

export function createColumnConverter(threadOptions: ColumnThreadsOptions): Converter {
  const threads = new ColumnThreads(threadOptions)
  const run = (job: ColumnJob, signal: AbortSignal) =>
    isSmall(job) ? runInMemory(job, signal) : threads.run(job, signal)
  return {
    async profile(segment, signal, declared = []) {
      const { facts } = await run({ segment, target: null, declared }, signal)
      return facts
    },

    async convert(segment, columns, toPath, signal, options = {}) {
      const target = { columns, path: toPath, options }
      const { part, nulls, facts, violations, typeMismatches, isWritten, checksums } = await run(
        { segment, target },
        signal,
      )
      if (part === null) return { kind: 'typeMismatch', facts, violations, typeMismatches }
      const converted = { part, nulls, checksums: Buffer.from(checksums) }
      const isFit = isWritten.every(Boolean) && (options.older !== undefined || areExpected(facts, columns))
      return isFit
        ? { kind: 'part', facts, violations, ...converted }
        : { kind: 'typeMismatch', facts, violations, typeMismatches, rest: { ...converted, isWritten } }
    },

    findRepeats: (job, signal) => threads.run(job, signal),
    writeText: (job, signal) => (job.records.length < textBytesMin ? writeText(job) : threads.run(job, signal)),
    close: () => threads.close(),
  }
}

// Column converter: profiles and converts segments in threads of this process, small ones on the calling thread, and
// leaves the rest to another converter.
import { areExpected, type ColumnJob } from './columns/column-job.ts'
import { type ColumnThreadsOptions, createColumnThreads } from './columns/column-threads.ts'
import { isSmall, runInMemory } from './columns/run-in-memory.ts'
import type { Converter, SqlConverter, TargetColumn } from './convert.ts'

/**
 * Segments whose types are all detected are converted here. Declared columns have formats and rules that are SQL, so
 * `other` converts all segments of a dataset with any. Its children are ended here, too.
 */
export function createColumnConverter(options: ColumnThreadsOptions, other: SqlConverter): Converter {
  const threads = createColumnThreads(options)
  const run = (job: ColumnJob, signal: AbortSignal) =>
    isSmall(job) ? runInMemory(job, signal) : threads.run(job, signal)
  return {
    async profile(segment, signal) {
      const { facts } = await run({ segment, target: null }, signal)
      return facts
    },

    async convert(segment, columns, toPath, signal, older) {
      if (columns.some(({ declared }) => declared !== undefined)) return other.convert(segment, columns, toPath, signal)
      const target = { columns: columns.map(forMessage), path: toPath, ...(older && { older }) }
      const { part, nulls, facts, isWritten, checksums } = await run({ segment, target }, signal)
      if (part === null) return { kind: 'misfit', facts }
      const converted = { part, nulls, facts, checksums: Buffer.from(checksums) }
      const isFit = isWritten.every(Boolean) && (older !== undefined || areExpected(facts, columns))
      return isFit ? { kind: 'part', ...converted } : { kind: 'misfit', facts, rest: { ...converted, isWritten } }
    },

    violations: (segment, columns, toPath, signal) => other.violations(segment, columns, toPath, signal),

    checkPatterns: (patterns, signal) => other.checkPatterns(patterns, signal),

    check: () => other.check(),

    async close() {
      await Promise.all([threads.close(), other.close()])
    },
  }
}

/** A caller's columns may have members that cannot be sent in a message. */
function forMessage({ name, type, nullWords, classes, byEnds }: TargetColumn): TargetColumn {
  return { name, type, nullWords, ...(classes && { classes }), ...(byEnds && { byEnds }) }
}

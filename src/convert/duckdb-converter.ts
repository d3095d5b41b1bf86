// DuckDB converter: checks and converts segments in child processes. Knows the jobs, not how they are done.
import { rm } from 'node:fs/promises'
import type { ConvertedPart, Segment, TargetColumn } from './convert.ts'
import { type ConverterPoolOptions, createConverterPool } from './converter/converter-pool.ts'

/** Converts declared columns, and columns whose types are known. */
export interface SqlConverter {
  convert(
    segment: Segment,
    columns: readonly TargetColumn[],
    toPath: string,
    signal: AbortSignal,
  ): Promise<({ readonly kind: 'part' } & Omit<ConvertedPart, 'checksums'>) | { readonly kind: 'misfit' }>
  violations(segment: Segment, columns: readonly TargetColumn[], toPath: string, signal: AbortSignal): Promise<number>
  checkPatterns(patterns: readonly string[], signal: AbortSignal): Promise<readonly (string | null)[]>
  check(): Promise<void>
  close(): Promise<void>
}

/** Converts with DuckDB, in up to `size` child processes, each started on demand. */
export function createConverter(options: ConverterPoolOptions): SqlConverter {
  const pool = createConverterPool(options)
  return {
    async convert(segment, columns, toPath, signal) {
      try {
        const done = await pool.run('convert', { segment, columns: forMessage(columns), toPath }, signal)
        if (done !== null) return { kind: 'part', ...done }
      } catch (error) {
        await rm(toPath, { force: true })
        throw error
      }
      await rm(toPath, { force: true })
      return { kind: 'misfit' }
    },

    violations: (segment, columns, toPath, signal) =>
      pool.run('violations', { segment, columns: forMessage(columns), toPath }, signal),

    checkPatterns: (patterns, signal) => pool.run('patterns', { patterns }, signal),

    check: () => pool.check(),

    close: () => pool.close(),
  }
}

/** A caller's columns may have members that cannot be sent in a message. */
function forMessage(columns: readonly TargetColumn[]): readonly TargetColumn[] {
  return columns.map(({ name, type, nullWords, classes, declared }) => {
    return { name, type, nullWords, ...(classes && { classes }), ...(declared && { declared }) }
  })
}

// Copy source: the records of a dataset as databases read them. Knows no database.
import type { Receipt } from '../../core/receipt.ts'
import type { CopySource, Extremes } from '../../sink/sink.ts'
import type { Downloads } from '../dataset/downloads.ts'
import type { Profiles } from '../dataset/profiles.ts'

export interface SourceTools {
  readonly downloads: Pick<Downloads, 'databaseCsv' | 'part'>
  readonly profiles: Pick<Profiles, 'profile'>
}

export function copySource({ downloads, profiles }: SourceTools, receipt: Receipt, signal: AbortSignal): CopySource {
  return {
    lines: async () => (await downloads.databaseCsv(receipt).open(signal)).stream,
    parts: receipt.parts.map(({ bytes, records }, i) => {
      return { bytes, records, open: async () => (await downloads.part(receipt, i).open(signal)).stream }
    }),
    async extremes(columns) {
      const { statistics } = await profiles.profile(receipt, signal)
      return columns.map((name): Extremes | null => {
        const found = statistics.find(({ column_name }) => column_name === name)?.column_statistics
        const { min = null, max = null } = found !== undefined && 'min' in found ? found : {}
        return min === null || max === null ? null : { min: String(min), max: String(max) }
      })
    },
  }
}

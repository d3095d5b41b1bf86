// Columns testing: hand-written or random tables, and the parts written from them. Knows no oracle.
import type { ColumnFacts } from '../../core/column-facts.ts'
import type { Random } from '../../core/random.testing.ts'
import type { SegmentLayout } from '../converter.ts'
import type { ColumnWriterOptions, WriterColumn, WrittenColumns } from './column-writer.ts'
import { createColumnWriter } from './create-column-writer.ts'

export const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

export type Table = readonly (readonly (string | null)[])[]

export function layoutOf(width: number, other: Partial<SegmentLayout> = {}): SegmentLayout {
  return { width, delimiter: ',', quote: '"', lineTerminator: '\n', ...other }
}

/** The records as bytes; null is an empty field, and everything else is quoted where necessary, or at random. */
export function csvText(table: Table, { delimiter, quote, lineTerminator }: SegmentLayout, random?: Random): string {
  const field = (value: string | null) => {
    if (value === null) return ''
    if (quote === null) return value
    const isPlain = value !== '' && ![delimiter, quote, '\r', '\n'].some((one) => value.includes(one))
    return isPlain && random?.(4) !== 0 ? value : `${quote}${value.replaceAll(quote, quote + quote)}${quote}`
  }
  return table.map((record) => record.map(field).join(delimiter) + lineTerminator).join('')
}

/** Columns for which only facts are requested. */
export function factsOnly(width: number): readonly WriterColumn[] {
  return Array.from({ length: width }, (_, i) => ({ name: `n${i}`, type: null, nullWords: [] }))
}

/** Which texts are named depends on how records are grouped and quoted, unlike all other facts. */
function withoutTexts({ classes, ...facts }: ColumnFacts): ColumnFacts {
  const counted = Object.entries(classes).map(([name, { texts: _, ...one }]) => [name, one])
  return { ...facts, classes: Object.fromEntries(counted) }
}

/** Writes a whole table; `cut` returns the length of the next chunk. */
export function writeColumns(
  text: string | Uint8Array,
  options: Omit<ColumnWriterOptions, 'sink'> & { readonly withTexts?: true },
  cut: () => number = () => 1_000_000,
): WrittenColumns & { readonly part: Buffer } {
  const pieces: Buffer[] = []
  const writer = createColumnWriter({ ...options, sink: (bytes) => pieces.push(Buffer.from(bytes)) })
  try {
    const bytes = Buffer.from(text)
    for (let from = 0; from < bytes.length; ) {
      const count = Math.max(1, cut())
      writer.push(bytes.subarray(from, from + count))
      from += count
    }
    const written = writer.end()
    return {
      ...written,
      facts: options.withTexts ? written.facts : written.facts.map(withoutTexts),
      part: Buffer.concat(pieces),
    }
  } finally {
    writer.close()
  }
}

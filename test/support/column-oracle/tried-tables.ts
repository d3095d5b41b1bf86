// Tried tables: generates nasty tables by seed and number, each as a file without a header. Knows no service or oracle.

import type { SegmentLayout } from '../../../src/columns/converter.ts'
import { csvText, type Table } from '../../../src/columns/writer/columns.testing.ts'
import { nastyTable } from '../../../src/columns/writer/nasty-tables.testing.ts'
import { type Random, randomFrom } from '../../../src/core/random.testing.ts'

/** A file without a header; the service gets it with one. */
export interface TriedTable {
  readonly cells: Table
  readonly body: string
  readonly records: number
  readonly layout: SegmentLayout
}

/** One in this many tables is large: tens of thousands of records. */
const largeOneIn = 20_000

/** Each table has its own seed, so that it can be generated without the others. */
export function triedTable(seed: number, number: number): TriedTable {
  const random = randomFrom((seed + Math.imul(number, 0x9e3779b1)) >>> 0)
  const layout = layoutFor(random)
  const isLarge = number % largeOneIn === largeOneIn - 1
  const records = isLarge ? 70_000 : 1 + random(number % 500 === 499 ? 5_000 : ([4, 16, 60][random(3)] ?? 60))
  const { width } = layout
  const cells = nastyTable(random, width, records)
  return { cells, body: csvText(cells, layout, random), records, layout }
}

function layoutFor(random: Random): SegmentLayout {
  const one = <Item>(list: readonly Item[]): Item => list[random(list.length)]!
  const lineTerminator = one(['\n', '\n', '\r\n'] as const)
  const quotes = { quote: one(['"', '"', "'"]) }
  return { width: 2 + random(10), delimiter: one([',', ';', '\t', '|']), ...quotes, lineTerminator }
}

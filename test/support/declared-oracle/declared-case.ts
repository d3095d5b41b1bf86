// Declared case: a random schema with a file near it, by seed and number. Knows no service and no oracle.

import type { SegmentLayout } from '../../../src/columns/converter.ts'
import { csvText, layoutOf, type Table } from '../../../src/columns/writer/columns.testing.ts'
import { type Random, randomFrom } from '../../../src/core/random.testing.ts'
import { type DeclaredSchema, readDeclaredSchema } from '../../../src/service/schema/parse-schema.ts'
import { type FieldJson, randomField } from './random-field.ts'
import { chance, pick } from './random-values.ts'

/** A schema as a client declares it, and records of its columns with one column more, which is not declared. */
export interface DeclaredCase {
  readonly fields: readonly FieldJson[]
  readonly missingValues?: readonly string[]
  readonly records: Table
  readonly layout: SegmentLayout
  readonly rowGroupRecords: number
}

/** Each case has its own seed, so that it can be generated without the others. */
export function declaredCase(seed: number, number: number): DeclaredCase {
  const random = randomFrom((seed + Math.imul(number, 0x9e3779b1)) >>> 0)
  const width = 1 + random(4)
  const missingValues = chance(random, 6) ? { missingValues: randomMissing(random) } : {}
  const columns = Array.from({ length: width }, (_, i) => randomField(random, `f${i}`, randomMissing))
  const count = pick(random, [0, 3, 12, 12, 30, 30, 60])
  // In most records at most one column is not valid, so that each column breaks rules of its own.
  const records = Array.from({ length: count }, (_, record) => {
    const odd = random(width + 1)
    const cells = columns.map(({ valid, odd: any }, i) => (i === odd || chance(random, 40) ? any() : valid()))
    return [...cells, chance(random, 9) ? pick(random, [null, '', 'é', 'a\nb', '"']) : `${record}`]
  })
  const layout = layoutOf(width + 1, {
    delimiter: pick(random, [',', ',', ';', '\t', '|']),
    quote: pick(random, ['"', '"', "'"]),
    lineTerminator: pick(random, ['\n', '\n', '\r\n', '\r'] as const),
  })
  const rowGroupRecords = pick(random, [61_440, 61_440, 1, 7])
  return { fields: columns.map(({ json }) => json), ...missingValues, records, layout, rowGroupRecords }
}

/** Missing values, many of which are also values. */
function randomMissing(random: Random): readonly string[] {
  const words = ['', '-1', '0', 'true', 'NA', '-', 'null', '1', 'x', '2024-01-01', '[]', 'NaN', 'é', '12:00:00', '1.50']
  const some = Array.from({ length: random(4) }, () => pick(random, words))
  return [...new Set(chance(random, 2) ? [...some, ''] : some)]
}

export function schemaOf({ fields, missingValues }: DeclaredCase): DeclaredSchema {
  return readDeclaredSchema({ fields, ...(missingValues && { missingValues }) })
}

export function contentOf({ records, layout }: DeclaredCase): string {
  // Quoted at random, but always alike.
  return csvText(records, layout, randomFrom(records.length))
}

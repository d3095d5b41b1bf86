// Tests of moments by a strptime pattern: the module gives the value, or the rule, that DuckDB gives.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeclared, violatedSql } from '../../../test/support/sql/declared-sql.ts'
import { randomFrom } from '../../core/random.testing.ts'
import type { ColumnType } from '../../core/receipt.ts'
import { openDuckDb } from '../../engine/duckdb/duckdb.ts'
import { literal } from '../../engine/sql/sql-text.ts'
import { type MomentKind, parseFormat } from '../../service/schema/strptime-format.ts'
import { ColumnsMemory } from '../memory/columns-memory.ts'
import { columnsModule } from '../memory/columns-module.ts'
import { seed } from '../writer/columns.testing.ts'
import { momentProgram } from './moment-format.ts'

const memory = new ColumnsMemory(columnsModule())
memory.configure(65_536, 1_000, 1_000)

/** The value as a number of days or microseconds, or the number of the rule that the text breaks. */
function readAll(format: string, texts: readonly string[]): readonly string[] {
  const program = momentProgram(format)
  const programAt = memory.windowAt
  const textAt = programAt + program.length + 64
  memory.bytes.set(program, programAt)
  return texts.map((text) => {
    // What follows a text must not be read as a part of it.
    const bytes = Buffer.from(`${text}0:1Zmy9`)
    memory.bytes.set(bytes, textAt)
    const out = memory.exports.levels.value
    const rule = memory.exports.readMomentOf(programAt, textAt, textAt + Buffer.byteLength(text), out)
    return rule === 0 ? String(Buffer.from(memory.bytes.buffer).readBigInt64LE(out)) : `rule ${rule}`
  })
}

const connection = await openDuckDb({})

function typeOf(format: string, kind: MomentKind): ColumnType {
  return { kind: kind === 'datetime' ? (format.endsWith('%z') ? 'timestamptz' : 'timestamp') : kind }
}

async function oracle(format: string, kind: MomentKind, texts: readonly string[]): Promise<readonly string[]> {
  const parsed = parseFormat(format, kind)
  assert.ok('shape' in parsed, `${format}: ${JSON.stringify(parsed)}`)
  const type = typeOf(format, kind)
  const form = { kind: 'strptime', format, shape: parsed.shape } as const
  const declared = { form, missing: [], isRequired: false, checks: [] }
  const sql = readDeclared(declared, type, 'x')
  const value = kind === 'date' ? `date_diff('day', DATE '1970-01-01', ${sql.value})` : `epoch_us(${sql.value})`
  const rows = texts.map((text) => `(${literal(text)})`).join(', ')
  const query = `SELECT coalesce('rule ' || (${violatedSql(declared, type, sql)}), CAST(${value} AS VARCHAR)) FROM (VALUES ${rows}) t(x)`
  const reader = await connection.runAndReadAll(query)
  return reader.getRows().map(([answer]) => String(answer))
}

const random = randomFrom(seed)
const pick = <Item>(from: readonly Item[]): Item => from[random(from.length)] as Item
const padded = (number: number, width: number) =>
  random(3) === 0 ? String(number) : String(number).padStart(width, '0')
const cased = (text: string) => pick([text, text.toLowerCase(), text.toUpperCase()])
const names = 'January February March April May June July August September October November December'.split(' ')

const values: Readonly<Record<string, () => string>> = {
  Y: () => (random(4) === 0 ? pick(['0000', '0001', '9999', '1900', '999', '10000']) : String(1800 + random(400))),
  y: () => padded(random(100), 2),
  m: () => padded(random(14), 2),
  d: () => padded(random(8) === 0 ? 28 + random(6) : random(32), 2),
  H: () => padded(random(26), 2),
  I: () => padded(random(14), 2),
  M: () => padded(random(62), 2),
  S: () => padded(random(62), 2),
  f: () => '1234567'.slice(0, random(8)),
  p: () => cased(pick(['am', 'pm', 'AM', 'PM', 'a', 'xm'])),
  z: () => pick(['Z', 'z', '+00:00', '-2359', '+23:59', '+1', '+01', '+24:00', '-00:60', '+0130', '']),
  b: () => cased((random(4) === 0 ? pick(names) : pick(names).slice(0, 3)) || ''),
  B: () => cased(random(4) === 0 ? pick(names).slice(0, 3) : pick(names)),
}

function textOf(format: string): string {
  const text = format.replaceAll(/%(.)/g, (_, letter: string) => values[letter]?.() ?? letter)
  if (random(6) > 0) return text
  const at = random(text.length + 1)
  return text.slice(0, at) + pick(['', '', ' ', '0', '1', '-', 'a', 'é', '٣']) + text.slice(at + random(2))
}

const usual: readonly (readonly [MomentKind, string])[] = [
  ['date', '%d.%m.%Y'],
  ['date', '%d/%m/%Y'],
  ['date', '%m/%d/%Y'],
  ['date', '%m/%d/%y'],
  ['date', '%Y%m%d'],
  ['date', '%y%m%d'],
  ['date', '%d%b%Y'],
  ['date', '%d %b %Y'],
  ['date', '%b %d, %Y'],
  ['date', '%d. %B %Y'],
  ['date', '%Y-%m-%d'],
  ['time', '%H:%M'],
  ['time', '%H%M%S'],
  ['time', '%I:%M %p'],
  ['time', '%I%p'],
  ['time', '%H:%M:%S.%f'],
  ['datetime', '%d.%m.%Y %H:%M'],
  ['datetime', '%d.%m.%Y %H:%M:%S'],
  ['datetime', '%m/%d/%Y %I:%M %p'],
  ['datetime', '%m/%d/%Y %I:%M:%S %p'],
  ['datetime', '%Y%m%d%H%M%S'],
  ['datetime', '%Y%m%d%H%M%S%f'],
  ['datetime', '%Y-%m-%dT%H:%M:%S.%f%z'],
  ['datetime', '%Y-%m-%d %H:%M:%S %z'],
  ['datetime', '%d/%b/%Y:%H:%M:%S %z'],
  ['datetime', '%B %d, %Y at %I %p'],
  ['date', '%% %Y %% %m %% %d 100%%'],
  ['date', '1%Y2%m3%d4'],
]

const withoutBlanks = (text: string) => text.replaceAll(/^[ \t]+|[ \t]+$/g, '')

async function assertSame(kind: MomentKind, format: string, texts: readonly string[]) {
  // A fraction before digits has six. DuckDB also reads six digits and one where the form wants five and two.
  const isSplit = /%f(?:%[^pbBz%]|[0-9])/.test(format)
  const wanted = await oracle(format, kind, texts)
  // A column's reader tries a text without the blanks around it second.
  const trimmed = readAll(format, texts.map(withoutBlanks))
  const found = readAll(format, texts).map((result, i) => (result.startsWith('rule') ? trimmed[i] : result))
  for (const [i, text] of texts.entries()) {
    if (isSplit && found[i]?.startsWith('rule')) continue
    assert.equal(found[i], wanted[i], `SEED=${seed} ${format} ${JSON.stringify(text)}`)
  }
}

test('readMoment() reads usual patterns as DuckDB does', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  for (const [kind, format] of usual) {
    const texts = Array.from({ length: 400 }, () => textOf(format))
    await assertSame(kind, format, [...texts, '', format])
  }
  const zoned = '%Y-%m-%d %H:%M:%S %z'
  const ends = [
    '0001-01-01 00:00:00 +00:00',
    '0001-01-01 00:59:59 +01:00',
    '9999-12-31 23:59:59 Z',
    '9999-12-31 23:00:00 -0100',
  ]
  await assertSame('datetime', zoned, ends)
})

const letters: Readonly<Record<MomentKind, readonly (readonly string[])[]>> = {
  date: [['Y', 'y'], ['m', 'b', 'B'], ['d']],
  time: [
    ['H', 'I'],
    ['M', ''],
    ['S', ''],
    ['f', '', ''],
  ],
  datetime: [['Y', 'y'], ['m', 'b', 'B'], ['d'], ['H', 'I'], ['M', ''], ['S', ''], ['f', '', ''], ['z', '']],
}

/** Directives in any order, with anything or nothing in between. */
function anyFormat(kind: MomentKind): string {
  const chosen = letters[kind].map(pick).filter((letter) => letter !== '')
  const last = chosen.includes('z') ? ['%z'] : []
  const others = chosen.filter((letter) => letter !== 'z')
  if (others.includes('I')) others.push('p')
  const shuffled = others.toSorted(() => random(3) - 1)
  const between = () => pick(['', '', '.', '/', '-', ' ', ':', 'T', 'e', '%%', '7', ', ', "'", '\\', '['])
  return [...shuffled.flatMap((letter) => [`%${letter}`, between()]), ...last].join('')
}

test('readMoment() reads any pattern as DuckDB does', async (t) => {
  t.diagnostic(`SEED=${seed}`)
  for (let round = 0; round < 400; round++) {
    const kind = pick(['date', 'time', 'datetime'] as const)
    const format = anyFormat(kind)
    await assertSame(
      kind,
      format,
      Array.from({ length: 60 }, () => textOf(format)),
    )
  }
})

// Tests of copies into tables that others made: every type of ours with every type of PostgreSQL. Values arrive unchanged, or none do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteStream } from '../../src/core/byte-stream.ts'
import { createPostgresSink } from '../../src/sink/postgres-sink.ts'
import { foundColumnsSql, keepsValues } from '../../src/sink/postgres-sql.ts'
import { type CopyOrder, SinkError } from '../../src/sink/sink.ts'
import { openPostgres, type PostgresServer } from '../support/postgres-server.ts'

/** Values by type, as `PartReader` writes them: each fits its type, and few fit another one. */
const valuesByType: Readonly<Record<string, readonly string[]>> = {
  integer: ['1', '0', '-7', '255', '-40000', '20240101', '123456', '9007199254740993', '-9223372036854775808'],
  'decimal(10,3)': ['12.345', '0.100', '-9999999.999', '1.000'],
  'decimal(20,0)': ['1', '16777217', '12345678901234567890', '-20240101'],
  number: ['0.1', '1234567.891', '-2.25', '1e+300', '5e-324', '3.0', '0.12345678901234566'],
  boolean: ['true', 'false'],
  date: ['2024-02-29', '0001-01-01', '9999-12-31'],
  time: ['12:34:56', '23:59:59.999999', '00:00:00.4'],
  timestamp: [
    '2024-02-29 00:00:00',
    '2024-02-29 23:59:59.5',
    '0001-01-01 00:00:00.000001',
    '9999-12-31 23:59:59.999999',
  ],
  timestamptz: ['2024-02-29 15:00:00+00', '2024-02-29 23:59:59.5+00', '1969-12-31 18:29:59.000001+00'],
  text: [
    ...[
      'a',
      'a  ',
      ' a',
      '',
      'Zoë',
      '007',
      '1.50',
      'yes',
      '2024-02-29',
      '12:34',
      '{"b": 1, "a": 1,  "a": 2}',
      '[1 ,2]',
    ],
    ...['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '\\x41', '{a,b}', '10.0.0.1/32', '12', '<a/>', 'x'.repeat(80), 'inf'],
  ],
}

/** The columns that each type may be added to: those that change no value without an error. */
const texts = ['character varying', 'text']
const numerics = ['amount', 'bigint', 'integer', 'nested', 'numeric', 'numeric(30,10)', 'numeric(9,2)', 'smallint']
const anyText = [...texts, 'character varying(5)', 'label']
const acceptedByType: Readonly<Record<string, readonly string[]>> = {
  integer: [...anyText, ...numerics],
  'decimal(10,3)': [...anyText, 'numeric', 'numeric(30,10)'],
  'decimal(20,0)': [...anyText, ...numerics],
  number: [...anyText, 'double precision', 'numeric'],
  boolean: [...anyText, 'boolean'],
  date: [...anyText, 'brief', 'date', 'timestamp without time zone', 'timestamp(0) without time zone'],
  time: [...anyText, 'time without time zone', 'time(6) without time zone'],
  timestamp: [...anyText, 'timestamp without time zone'],
  timestamptz: [...anyText, 'timestamp with time zone'],
  text: [...texts, 'json', 'mood'],
}

const declared = [
  ...['numeric(9,2)', 'numeric(30,10)', 'varchar(5)', 'char(5)', 'bpchar', 'timestamp(0)', 'timestamptz(3)'],
  ...['time(6)', 'time(0)', 'timetz', 'interval(0)', 'bit(3)', 'varbit(8)', 'int[]', 'text[]', 'numeric(9,2)[]'],
  ...['mood', 'amount', 'nested', 'label', 'brief', 'own.text'],
]
const definitions = `CREATE TYPE mood AS ENUM ('a', '007', 'true', '1');
  CREATE DOMAIN amount AS numeric(9,2); CREATE DOMAIN nested AS amount CHECK (value > -1000);
  CREATE DOMAIN label AS varchar(80); CREATE DOMAIN brief AS timestamp(0);
  CREATE SCHEMA own; CREATE DOMAIN own.text AS char(3)`

test('every value of every type is in a column of any type unchanged, or the copy is refused', async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  const { query } = database
  await query(definitions)
  // PostgreSQL 15 and later.
  const hasNegativeScale = await query("SELECT 'x'::text")
    .then(() => query('SELECT 1::numeric(5,-2)'))
    .catch(() => null)
  const ownTypes = await query(
    `SELECT format_type(oid, NULL) FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace
     AND typtype IN ('b', 'r', 'm') AND typcategory <> 'A' AND typname <> 'bpchar'`,
  )
  const columns = [...ownTypes.map(([name]) => name!), ...declared, ...(hasNegativeScale ? ['numeric(5,-2)'] : [])]
  assert.ok(columns.length > 80, `${columns.length} types`)
  const definition = columns.map((column, i) => `c${i} ${column}`).join(', ')
  await query(`CREATE TABLE mixed (${definition}, n serial); ${definitionOfLedger};
    INSERT INTO csv_upload_copies VALUES ('mixed', '', '*')`)
  const found = (await query(foundColumnsSql("'mixed'"))).filter(([name]) => name !== 'n')
  let [refused, compared] = [0, 0]
  for (const [type, values] of Object.entries(valuesByType)) {
    const kept = found.filter(([, , modifier, own]) => keepsValues({ type: own!, modifier: Number(modifier) }, type))
    assert.deepEqual(kept.map(([, shown]) => shown).toSorted(), acceptedByType[type]?.toSorted(), type)
    for (const [column] of kept) compared += await copyEach(database, column!, type, values)
    const others = found.filter((one) => !kept.includes(one)).map(([name]) => ({ name: name!, type }))
    const problem = await copyOne(database, others, '')
    const named =
      problem?.match(/column '(c\d+)' is [^;]+, expected [^;]+ for [a-z0-9(,)]+(?:; | \(and (\d+) more\))/g) ?? []
    assert.deepEqual([named.length, problem?.includes(`(and ${others.length - 5} more)`)], [5, true], problem ?? type)
    refused += others.length
  }
  t.diagnostic(`${compared} values compared; ${refused} pairs of types refused by name`)
  assert.ok(compared > 200 && refused > 700)
})

const definitionOfLedger = `CREATE TABLE csv_upload_copies (
  table_name text NOT NULL, dataset_id text NOT NULL, owner text NOT NULL, mode text, records bigint,
  copied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (table_name, dataset_id))`

let datasetCount = 0

/** Returns the error of the copy; null if it is done. */
async function copyOne({ url }: PostgresServer, columns: CopyOrder['columns'], line: string): Promise<string | null> {
  datasetCount += 1
  const id = String(datasetCount)
  const order: CopyOrder = {
    ...{ datasetId: id, fileSha256: id, owner: '', table: 'mixed', isSharedTable: false, mode: 'append', key: [] },
    ...{ columns, records: 1 },
  }
  const chunks = async function* () {
    yield Buffer.from(line)
  }
  const source = async () => byteStream(chunks(), async () => {})
  try {
    const sink = createPostgresSink({ url, schema: 'public' })
    await sink.copy(order, source, new AbortController().signal)
    return null
  } catch (error) {
    assert.ok(error instanceof SinkError && !error.isTransient, String(error))
    return error.message
  }
}

/** Copies values one by one; each is there unchanged, or is refused with an error that names the column. */
async function copyEach(
  database: PostgresServer,
  column: string,
  type: string,
  values: readonly string[],
): Promise<number> {
  const kept: (string | null)[] = []
  const [[start = null] = []] = await database.query('SELECT coalesce(max(n), 0) FROM mixed')
  for (const value of [null, ...values]) {
    const line = value === null ? '\n' : type === 'text' ? `"${value.replaceAll('"', '""')}"\n` : `${value}\n`
    const problem = await copyOne(database, [{ name: column, type }], line)
    if (problem === null) kept.push(value)
    else assert.match(problem, new RegExp(`^The database refuses the copy: .*column ${column}`))
  }
  const found = await database.query(`SELECT ${column}::text FROM mixed WHERE n > ${start} ORDER BY n`)
  const plain = plainBy(type)
  assert.deepEqual(
    found.map(([value]) => (value == null ? null : plain(value))),
    kept.map((value) => (value === null ? null : plain(value))),
    `${type} in ${column}`,
  )
  return kept.length
}

/** The one spelling of a value. It shares nothing with the product or the database. */
function plainBy(type: string): (value: string) => string {
  if (/^(?:integer|decimal|number)/.test(type)) return plainNumber
  if (type === 'boolean') return (value) => (value === 't' ? 'true' : value === 'f' ? 'false' : value)
  if (type === 'date') return (value) => value.replace(/ 00:00:00$/, '')
  if (type === 'timestamptz') return plainInstant
  return (value) => value
}

/** Digits without zeros at either end, and the power of ten. */
function plainNumber(text: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/.exec(text) ?? []
  assert.ok(sign !== undefined, text)
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`
}

/** Microseconds since 1970. */
function plainInstant(text: string): string {
  const [, day, clock, fraction = '', hours = '', minutes = '00'] =
    /^(\S+) (\d+:\d+:\d+)(?:\.(\d+))?([+-]\d\d)(?::?(\d\d))?$/.exec(text) ?? []
  assert.ok(day !== undefined, text)
  const seconds = Date.parse(`${day}T${clock}${hours}:${minutes}`) / 1_000
  return String(BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0')))
}

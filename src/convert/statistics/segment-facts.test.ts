// Tests of the profiler: the prepared plan gives every small segment the same facts as a separate statement.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openDuckDb } from '../../duckdb/duckdb.ts'
import { type ProfileRow, profileSql } from '../sql/segment-facts-sql.ts'
import { readModes } from '../sql/segment-sql.ts'
import { Profiler } from './segment-facts.ts'

const dir = await mkdtemp(join(tmpdir(), 'profiler-'))
after(() => rm(dir, { recursive: true }))

async function segmentOf(records: readonly string[]) {
  const path = join(dir, 'segment.csv')
  const text = records.map((record) => `${record}\n`).join('')
  await writeFile(path, text)
  const width = records[0]?.split(',').length ?? 1
  const layout = { width, delimiter: ',', quote: '"', escape: null, lineTerminator: '\n' } as const
  return { path, records: records.length, bytes: Buffer.byteLength(text), layout }
}

const sorted = (rows: readonly ProfileRow[]) => rows.map((row) => JSON.stringify(row)).sort()
const values = [
  '',
  '1',
  '-20',
  '0.5',
  '1.234',
  '1,5',
  'true',
  'NA',
  'text',
  '2024-01-02',
  '31/12/2020',
  '00123',
  '1e5',
  'é',
]

test('Profiler agrees with profileSql() on consecutive segments of any width and length', async () => {
  const connection = await openDuckDb({})
  const profiler = await Profiler.open(connection)
  for (let turn = 0; turn < 24; turn++) {
    const width = 1 + ((turn * 7) % 40)
    const field = (record: number, column: number) => `"${values[(record * 3 + column * (turn + 1)) % values.length]}"`
    const records = Array.from({ length: 1 + ((turn * 131) % 500) }, (_, record) =>
      Array.from({ length: width }, (_, column) => field(record, column)).join(','),
    )
    const segment = await segmentOf(records.map((record) => record.replaceAll('1,5', '1;5')))
    const [mode] = readModes(segment)
    assert.ok(mode)
    const wanted = (await connection.runAndReadAll(profileSql(segment, mode))).getRowsJS() as unknown as ProfileRow[]
    assert.deepEqual(sorted(await profiler.rows(segment, mode)), sorted(wanted), `turn ${turn}`)
  }
})

test('Profiler continues, and keeps nothing, after a segment that cannot be read', async () => {
  const connection = await openDuckDb({})
  const profiler = await Profiler.open(connection)
  const segment = await segmentOf(['1,2', '3,4'])
  const [mode] = readModes(segment)
  assert.ok(mode)
  const wrong = { ...segment, layout: { ...segment.layout, width: 3 } }
  await assert.rejects(profiler.rows(wrong, mode), /Expected Number of Columns/)
  const rows = await profiler.rows(segment, mode)
  assert.deepEqual(
    rows.map(([column, name, , , count]) => [column, name, count]).sort(),
    [0, 1].map((column) => [column, 'integer', 2]),
  )
  const left = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM profiled')
  assert.deepEqual(left.getRowsJS(), [[0]])
})

// Tests of the ClickHouse sink against a fake server that fails at each statement in turn.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { byteStream } from '../core/byte-stream.ts'
import { createClickHouseSink } from './clickhouse-sink.ts'
import { datasetColumn, insertSettings, versionColumn } from './clickhouse-sql.ts'
import { FakeClickHouse, type FakeTable, type Fault } from './fake-clickhouse.testing.ts'
import { type CopyOrder, type CopySource, SinkError } from './sink.ts'

const secret = 'geheim'
const [first, second] = ['1'.repeat(32), '2'.repeat(32)]
const plain: CopyOrder = {
  datasetId: first,
  owner: 'anna',
  table: 'people',
  isSharedTable: false,
  mode: 'append',
  key: [],
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'at', type: 'time' },
  ],
  records: 5,
  askedAt: 1_000,
}
const modes = ['append', 'replace', 'upsert'] as const
const keyOf = (mode: CopyOrder['mode']) => (mode === 'upsert' ? ['id'] : [])
const orderOf = (mode: CopyOrder['mode'], given: Partial<CopyOrder> = {}): CopyOrder => {
  return { ...plain, mode, key: keyOf(mode), ...given }
}

/** Parts of two, no and three records, one byte each. */
function sourceOf(
  counts: readonly number[] = [2, 0, 3],
  extremes: CopySource['extremes'] = async () => [],
): CopySource {
  return {
    lines: () => assert.fail('lines are not needed'),
    parts: counts.map((records) => ({
      bytes: records,
      records,
      open: async () => {
        const chunks = async function* () {
          yield Buffer.alloc(records)
        }
        return byteStream(chunks(), async () => {})
      },
    })),
    extremes,
  }
}

async function place(t: TestContext) {
  const fake = await FakeClickHouse.start()
  t.after(() => fake[Symbol.asyncDispose]())
  const options = { url: fake.url, password: secret, passwordsPath: '', resendMs: [1, 1] }
  const sink = createClickHouseSink(options)
  const { signal } = new AbortController()
  const copy = (order: CopyOrder, source = sourceOf()) => sink.copy(order, source, signal)
  return { fake, copy, options }
}

const rowsOf = (fake: FakeClickHouse) => fake.tables.get('people')?.rows.map(({ dataset }) => dataset)
const times = (count: number, value: string) => Array.from({ length: count }, () => value)
const isTransient = (error: unknown) => error instanceof SinkError && error.isTransient
const problemOf = async (copying: Promise<void>) => {
  const error = await copying.then(
    () => assert.fail('it succeeded'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof SinkError, String(error))
  assert.doesNotMatch(error.message, /geheim|127\.0\.0\.1|loader/)
  return { message: error.message, isTransient: error.isTransient }
}

test('createClickHouseSink() sends settings that keep values exact, and never shows the password', async (t) => {
  const { fake, copy } = await place(t)
  for (const mode of modes) await copy(orderOf(mode, { table: `of_${mode}` }))
  for (const { parameters, headers } of fake.asked) {
    assert.deepEqual([headers['x-clickhouse-user'], headers['x-clickhouse-key']], ['loader', secret])
    assert.deepEqual([parameters.get('database'), parameters.get('wait_end_of_query')], ['sales', '1'])
    assert.doesNotMatch(parameters.toString(), /geheim/)
  }
  const inserts = fake.asked.filter(({ statement }) => statement.startsWith('INSERT'))
  assert.equal(inserts.length, 6)
  for (const { parameters } of inserts) {
    const wanted = { ...insertSettings, enable_time_time64_type: '1' }
    for (const [name, value] of Object.entries(wanted)) assert.equal(parameters.get(name), value, name)
  }
  assert.deepEqual([...fake.tables.keys()], ['of_append', 'of_replace', 'of_upsert'])
  assert.deepEqual(
    [...fake.tables.values()].map(({ engine, keys }) => [engine, keys]),
    [
      ['MergeTree', []],
      ['MergeTree', []],
      ['ReplacingMergeTree', ['id']],
    ],
  )
})

/** The state before a copy: no table, or one with a dataset of two records. */
async function prepared(t: TestContext, mode: CopyOrder['mode'], isThere: boolean) {
  const made = await place(t)
  const older = orderOf(mode, { datasetId: second, records: 2, askedAt: 500 })
  if (isThere) await made.copy(older, sourceOf([2]))
  made.fake.asked.length = 0
  const before = isThere ? times(2, second) : undefined
  const isAdding = mode !== 'replace'
  return { ...made, before, after: [...(isAdding && before !== undefined ? before : []), ...times(5, first)] }
}

/** Duplicate upserted rows count as one: they have the same key and version. */
type Rows = readonly string[] | undefined
function isAsWanted(mode: CopyOrder['mode'], rows: Rows, wanted: Rows): boolean {
  const set = (all: Rows) => JSON.stringify(all === undefined ? null : [...new Set(all)])
  return mode === 'upsert' ? set(rows) === set(wanted) : JSON.stringify(rows) === JSON.stringify(wanted)
}

test('createClickHouseSink() copies once, whichever response is lost, and no partial copy is visible', async (t) => {
  let tried = 0
  const halves: string[] = []
  for (const mode of modes) {
    for (const isThere of [false, true]) {
      for (const isDone of [false, true]) {
        for (let at = 1, isReached = true; isReached; at += 1) {
          const { fake, copy, before, after } = await prepared(t, mode, isThere)
          isReached = false
          fake.fault = (_, number): Fault | null => {
            isReached ||= number === at
            return number === at ? { kind: 'lost', isDone } : null
          }
          fake.onDone = (statement) => {
            const rows = rowsOf(fake)
            const isWhole = [before, after].some((one) => isAsWanted(mode, rows, one))
            if (!isWhole) halves.push(`${mode} ${at}: ${statement} leaves ${rows}`)
          }
          const order = orderOf(mode)
          await copy(order).catch((error: unknown) => assert.ok(isTransient(error), `${mode} ${at}: ${error}`))
          fake.fault = () => null
          await copy(order)
          assert.ok(isAsWanted(mode, rowsOf(fake), after), `${mode} ${at} ${isDone}: ${rowsOf(fake)}`)
          tried += 1
        }
      }
    }
  }
  assert.deepEqual(halves, [])
  assert.ok(tried > 100, `${tried} faults`)
})

test('createClickHouseSink() recovers after a kill at any statement, and drops leftovers', async (t) => {
  for (const mode of modes) {
    for (let at = 1, isReached = true; isReached; at += 1) {
      const { fake, copy, after } = await prepared(t, mode, true)
      isReached = false
      fake.fault = (_, number): Fault | null => {
        isReached ||= number === at
        return number >= at ? { kind: 'lost', isDone: number === at } : null
      }
      await copy(orderOf(mode)).catch(() => {})
      fake.fault = () => null
      for (const table of fake.tables.values()) table.isStale = true
      await copy(orderOf(mode))
      assert.ok(isAsWanted(mode, rowsOf(fake), after), `${mode} ${at}: ${rowsOf(fake)}`)
      // The copy of another dataset sweeps leftovers.
      await copy(orderOf(mode, { datasetId: '3'.repeat(32) }))
      assert.deepEqual([...fake.tables.keys()], ['people'], `${mode} ${at}`)
    }
  }
})

test('createClickHouseSink() appends once, even with concurrent copies', async (t) => {
  const { fake, copy, after } = await prepared(t, 'append', true)
  const copies = await Promise.allSettled([1, 2, 3, 4].map(() => copy(orderOf('append'))))
  for (const one of copies) assert.ok(one.status === 'fulfilled' || isTransient(one.reason))
  await copy(orderOf('append'))
  assert.deepEqual(rowsOf(fake), after)
  assert.deepEqual([...fake.tables.keys()], ['people'])
})

test('createClickHouseSink() replaces again only if the table contains something else', async (t) => {
  const { fake, copy } = await place(t)
  const inserts = () => fake.asked.filter(({ statement }) => statement.startsWith('INSERT')).length
  await copy(orderOf('replace'))
  await copy(orderOf('replace'))
  assert.equal(inserts(), 2)
  await copy(orderOf('append', { datasetId: second }))
  await copy(orderOf('replace'))
  assert.deepEqual([inserts(), rowsOf(fake)], [6, times(5, first)])
})

test('createClickHouseSink() versions upserted records by the time at which their copy was requested', async (t) => {
  const { fake, copy } = await place(t)
  await copy(orderOf('upsert', { askedAt: 7 }))
  await copy(orderOf('upsert', { askedAt: 6, datasetId: second }))
  const versions = fake.tables.get('people')?.rows.map(({ version }) => version)
  assert.deepEqual(versions, [7, 7, 7, 7, 7, 6, 6, 6, 6, 6])
})

test('createClickHouseSink() opens a part after the previous one was inserted, and stops on abort', async (t) => {
  const { fake, options } = await place(t)
  const opened: number[] = []
  const source = sourceOf([1, 1, 3])
  const parts = source.parts.map((part, i) => ({
    ...part,
    open: () => {
      opened.push(i, fake.asked.filter(({ statement }) => statement.startsWith('INSERT')).length)
      return part.open()
    },
  }))
  const stop = new AbortController()
  await createClickHouseSink(options).copy(plain, { ...source, parts }, stop.signal)
  assert.deepEqual(opened, [0, 0, 1, 1, 2, 2])
  fake.onDone = (statement) => {
    if (statement.startsWith('INSERT')) stop.abort(new Error('enough'))
  }
  const stopped = createClickHouseSink(options).copy(orderOf('append', { datasetId: second }), source, stop.signal)
  await assert.rejects(stopped, /enough/)
  assert.deepEqual([rowsOf(fake), [...fake.tables.keys()]], [times(5, first), ['people']])
})

test('createClickHouseSink() keeps nothing if records are missing or cannot be read', async (t) => {
  const { fake, copy } = await place(t)
  assert.match((await problemOf(copy(plain, sourceOf([2, 2])))).message, /^The database took 4 of 5 records$/)
  const [part] = sourceOf([5]).parts
  const failing = async function* () {
    yield Buffer.alloc(2)
    throw new Error('the disk is on fire')
  }
  for (const open of [
    async () => byteStream(failing(), async () => {}),
    () => Promise.reject(new Error('the disk is on fire')),
  ]) {
    await assert.rejects(copy(plain, { ...sourceOf(), parts: [{ ...part!, open }] }), /^Error: the disk is on fire$/)
  }
  assert.deepEqual([...fake.tables.keys()], [])
})

const refused = 'The database refuses the connection or the copy'
const exception = (code: number, text: string) =>
  `Code: ${code}. DB::Exception: ${text} (version 25.8.1.1 (official build))\n`
const coded = (code: number, text: string, status = 500): Fault => {
  return { kind: 'answer', status, headers: { 'X-ClickHouse-Exception-Code': code }, text: exception(code, text) }
}

test('createClickHouseSink() reports the problem, and whether it is transient', async (t) => {
  const { fake, copy } = await place(t)
  const cases: readonly (readonly [Fault, string, boolean])[] = [
    [coded(516, 'loader: Authentication failed', 403), refused, false],
    [coded(81, 'Database sales does not exist', 404), refused, false],
    [coded(202, 'Too many simultaneous queries'), 'The database is not available', true],
    [coded(241, '(total) memory limit exceeded'), 'The database is not available', true],
    [coded(57, 'Table already exists'), 'The table is in use by others', true],
    [
      coded(349, 'Cannot convert NULL value: While executing ParquetBlockInputFormat'),
      'The database refuses the copy: Cannot convert NULL value',
      false,
    ],
    [
      coded(
        497,
        'loader: Not enough privileges. To execute this query, it is necessary to have the grant CREATE TABLE',
        403,
      ),
      'The database refuses the copy: Not enough privileges. To execute this query, it is necessary to have the grant CREATE TABLE',
      false,
    ],
    // The response has begun when the statement fails.
    [{ kind: 'answer', status: 200, text: `\n${exception(241, 'memory')}` }, 'The database is not available', true],
    [
      { kind: 'answer', status: 200, text: `__exception__\r\nabc\r\n${exception(70, 'Cannot convert')}` },
      'The database refuses the copy: Cannot convert',
      false,
    ],
    // Responses of a proxy, and of another server.
    [{ kind: 'answer', status: 503, text: '<html>' }, 'The database is not available', true],
    [{ kind: 'answer', status: 404, text: '<html>loader' }, refused, false],
    [{ kind: 'answer', status: 302, headers: { location: 'http://127.0.0.1:1/' }, text: '' }, refused, false],
    [{ kind: 'lost', isDone: false }, 'The database cannot be reached', true],
  ]
  for (const [fault, message, mayPass] of cases) {
    fake.fault = (statement) => (/^(?:CREATE|INSERT)/.test(statement) ? fault : null)
    assert.deepEqual(await problemOf(copy(plain)), { message, isTransient: mayPass }, JSON.stringify(fault))
  }
  assert.deepEqual([...fake.tables.keys()], [])
})

test('createClickHouseSink() does not wait forever, and reports if nothing listens', async (t) => {
  const { fake, options } = await place(t)
  const { signal } = new AbortController()
  fake.fault = (statement) => (statement.startsWith('CREATE') ? { kind: 'silent' } : null)
  const impatient = createClickHouseSink({ ...options, idleMs: 100 })
  const away = { message: 'The database cannot be reached', isTransient: true }
  assert.deepEqual(await problemOf(impatient.copy(plain, sourceOf(), signal)), away)
  const nowhere = createClickHouseSink({ ...options, url: 'clickhouse://loader@127.0.0.1:1/sales' })
  assert.deepEqual(await problemOf(nowhere.copy(plain, sourceOf(), signal)), away)
})

const hidden = [
  [datasetColumn, 'LowCardinality(String)', 'MATERIALIZED'],
  [versionColumn, 'UInt64', 'MATERIALIZED'],
] as const
const fitting: FakeTable = {
  engine: 'MergeTree',
  comment: 'csv-upload {"owner":"*"}',
  partitionKey: '',
  keys: [],
  columns: [['id', 'Nullable(Int64)', ''], ['at', 'Nullable(Time64(6))', ''], ['more', 'String', ''], ...hidden],
  marks: { dataset: '', version: 0 },
  rows: [],
  isStale: false,
}

test('createClickHouseSink() does not change tables that are not for copies', async (t) => {
  const { fake, copy } = await place(t)
  const cases: readonly (readonly [CopyOrder['mode'], Partial<FakeTable>, RegExp])[] = [
    ['replace', { comment: '' }, /^Table 'people' was not made by a copy$/],
    ['append', { comment: 'csv-upload {' }, /^Table 'people' was not made by a copy$/],
    ['replace', { comment: 'csv-upload {"owner":"bob"}' }, /^Table 'people' was made by a copy of another owner$/],
    ['append', { comment: 'csv-upload {}' }, /^Table 'people' was made by a copy of another owner$/],
    ['append', { partitionKey: 'toYYYYMM(at)' }, /has partitions: copies need one that has none$/],
    [
      'append',
      { engine: 'ReplacingMergeTree', keys: ['id'] },
      /is not for appending: it is a ReplacingMergeTree ordered by id$/,
    ],
    ['upsert', {}, /is not for upserting by id: it is a MergeTree$/],
    [
      'upsert',
      { engine: 'ReplacingMergeTree', keys: ['at'] },
      /is not for upserting by id: it is a ReplacingMergeTree ordered by at$/,
    ],
    [
      'append',
      { columns: fitting.columns.slice(0, 3) },
      /has no materialized column _csv_upload_dataset, which copies need$/,
    ],
    ['append', { columns: [['at', 'Time64(6)', ''], ...hidden] }, /has no column 'id'$/],
    ['append', { columns: [['id', 'Int64', 'ALIAS'], ...hidden] }, /computes its column 'id' itself$/],
    [
      'append',
      { columns: [['id', 'Nullable(Float64)', ''], ...hidden] },
      /has a column 'id' of Nullable\(Float64\): integer needs Int64$/,
    ],
    [
      'append',
      { rows: [{ dataset: first, version: 0 }] },
      /has 1 of the dataset's 5 records: delete those where _csv_upload_dataset = '1{32}', and copy again$/,
    ],
  ]
  for (const [mode, change, message] of cases) {
    const table = { ...fitting, ...change }
    fake.tables.set('people', table)
    const problem = await problemOf(copy(orderOf(mode)))
    assert.match(problem.message, message)
    assert.deepEqual([problem.isTransient, fake.tables.size, fake.tables.get('people')], [false, 1, table])
  }
  fake.tables.set('people', { ...fitting })
  await copy(orderOf('append'))
  assert.deepEqual(rowsOf(fake), times(5, first))
  const reserved = orderOf('append', { columns: [{ name: datasetColumn, type: 'text' }], table: 'other' })
  assert.equal((await problemOf(copy(reserved))).message, `A column cannot be called '${datasetColumn}'`)
  const stage = orderOf('append', { table: 'people__csv_upload_x' })
  assert.equal((await problemOf(copy(stage))).message, "Table 'people__csv_upload_x' is not for copies")
  fake.databaseEngine = 'Ordinary'
  assert.match((await problemOf(copy(plain))).message, /^The database has the engine Ordinary: copies need Atomic$/)
})

test('createClickHouseSink() puts back a table that another client created at the last moment', async (t) => {
  const { fake, copy } = await prepared(t, 'replace', true)
  const theirs = { ...fitting, comment: '', rows: [{ dataset: 'theirs', version: 0 }] }
  fake.onDone = (statement) => {
    if (statement.startsWith('INSERT')) fake.tables.set('people', theirs)
  }
  assert.match((await problemOf(copy(orderOf('replace')))).message, /was not made by a copy$/)
  assert.deepEqual([...fake.tables], [['people', theirs]])
})

test('createClickHouseSink() refuses years that a server would change, before writing', async (t) => {
  const { fake, copy } = await place(t)
  const columns = [{ name: 'day', type: 'date' }] as const
  const order = { ...plain, columns }
  const extremes = (min: string, max: string) => sourceOf([5], async () => [{ min, max }])
  fake.isWide = false
  for (const [min, max, found] of [
    ['1899-12-31', '2000-01-01', '1899-12-31'],
    ['1900-01-01', '2300-01-01 00:00:00', '2300-01-01 00:00:00'],
  ] as const) {
    const wanted = `Column 'day' has ${found}: this ClickHouse holds the years 1900 to 2299`
    assert.deepEqual(await problemOf(copy(order, extremes(min, max))), { message: wanted, isTransient: false })
  }
  assert.ok(fake.asked.every(({ statement }) => statement.startsWith('SELECT')))
  await copy(order, extremes('1900-01-01', '2299-12-31'))
  fake.isWide = true
  await copy(
    { ...order, datasetId: second },
    sourceOf([5], () => assert.fail('the extremes are not needed')),
  )
})

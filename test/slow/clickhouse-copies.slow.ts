// Tests of copies into ClickHouse's engine: chDB behind an HTTP front end of ours (fixtures/clickhouse_http.py).
// ENGINES_PYTHON names a Python that has chdb; else it is installed once below build/.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CopyStatus } from '../../src/core/copies/copy-status.ts'
import { Client } from '../support/client.ts'
import { chdbPython } from '../support/client-generators.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom } from '../support/samples.ts'

const password = 'pass:word \\ ü'

const python = await findPython()
if ('missing' in python) test('copies into ClickHouse', { skip: python.missing }, () => {})
else await declareTests(python.path)

async function findPython(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const path = process.env.ENGINES_PYTHON ?? 'python3'
  if (spawnSync(path, ['-c', 'import chdb']).status === 0) return { path }
  const tools = await chdbPython()
  return 'missing' in tools ? tools : { path: join(tools.dir, 'bin/python') }
}

interface Engine extends AsyncDisposable {
  readonly url: string
  /** Rows as JSON, with long integers and decimals as texts. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Ends the engine like a crash; `start()` restarts it with its stored data. */
  kill(): Promise<void>
  start(): Promise<void>
}

async function startEngine(path: string, dir: string): Promise<Engine> {
  await mkdir(dir, { recursive: true })
  const script = join(import.meta.dirname, 'fixtures/clickhouse_http.py')
  let port = 0
  let child: ChildProcess | null = null
  const start = async () => {
    const started = spawn(path, [script, dir, password, `${port}`], { stdio: ['ignore', 'pipe', 'inherit'] })
    child = started
    const { value: line } = await createInterface({ input: started.stdout })[Symbol.asyncIterator]().next()
    port = (JSON.parse(line ?? '{}') as { readonly port: number }).port
  }
  const kill = async () => {
    if (child === null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    child = null
  }
  await start()
  const headers = { 'x-clickhouse-user': 'test', 'x-clickhouse-key': Buffer.from(password).toString('latin1') }
  return {
    url: `clickhouse://test@127.0.0.1:${port}/test`,
    start,
    kill,
    async query(sql) {
      const settings = 'output_format_json_quote_64bit_integers=1&output_format_json_quote_decimals=1'
      const answer = await fetch(`http://127.0.0.1:${port}/?database=test&${settings}`, {
        method: 'POST',
        headers,
        body: `${sql} FORMAT JSONCompactEachRow`,
      })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      return text
        .split('\n')
        .filter(Boolean)
        .map((row) => JSON.parse(row))
    },
    [Symbol.asyncDispose]: kill,
  }
}

async function declareTests(path: string): Promise<void> {
  const scratch = await scratchDir()
  const engine = await startEngine(path, join(scratch.path, 'engine'))
  const targets = ['--copy-target', `ch=${engine.url}`]
  // Small segments, so that a dataset has several parts.
  const flags = [...targets, '--segment-size', '1MB']
  const service = await RunningService.start(join(scratch.path, 'data'), flags, { CLICKHOUSE_PASSWORD: password })
  const client = new Client(service.url)
  after(async () => {
    await service[Symbol.asyncDispose]()
    await engine[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  const { query } = engine

  async function copied(id: string, wish: { readonly table: string; readonly mode?: string; readonly key?: string[] }) {
    const path = `/qas/datasets/${id}/copies`
    const answer = await client.askJson(path, Buffer.from(JSON.stringify({ to: 'ch', ...wish })))
    assert.equal(answer.status, 202, answer.body.toString())
    for (;;) {
      const { copies } = JSON.parse((await client.get(path)).toString()) as { readonly copies: readonly CopyStatus[] }
      const found = copies.find(({ table }) => table === wish.table)
      if (found?.state === 'done' || found?.state === 'failed') return found
      await sleep(20)
    }
  }
  const copy = async (id: string, wish: Parameters<typeof copied>[1]) => {
    const { state, problem } = await copied(id, wish)
    assert.deepEqual([state, problem], ['done', null])
  }

  test('every value of every type, and every null, arrives unchanged', async () => {
    const odd = ['a.b', 'a', 'we`ir\\d "x"', "it's {x:String}", 'é\u202e😀', '_part', 'select']
    const header = ['whole', 'price', 'exact', 'ratio', 'flag', 'day', 'clock', 'moment', 'instant', 'note', ...odd]
    const decimal = `${'9'.repeat(28)}.${'9'.repeat(10)}`
    const texts = ['"a ""quoted"", text"', '"line 1\nline 2"', '', '""', '\\N', '"\u0001\t\\\'` 😀 e\u0301"']
    const days = ['0001-01-01', '9999-12-31', '', '1899-12-31', '2300-01-01', '1970-01-01']
    const clocks = ['23:59:59.999999', '00:00:00.000000', '', '12:34:56.000001', '00:00:00.000001', '01:02:03.000000']
    const wholes = ['9223372036854775807', '-9223372036854775808', '', '0', '-1', '7']
    const ratios = ['1234567.891', '-0.1', '', '0.000000012345', '123456789012.345', '0.001']
    const records = texts.map((text, i) => [
      wholes[i],
      ['0.10', '-99999999999999999.99', '', '12345678901234567.89', '0.00', '-0.01'][i],
      [decimal, `-${decimal}`, '', '0.0000000001', '-0.0000000001', '1.0000000000'][i],
      ratios[i],
      ['true', 'false', '', 'true', 'false', 'true'][i],
      days[i],
      clocks[i],
      days[i] && `${days[i]}T${clocks[i] || '00:00:00.000000'}`,
      [
        '2024-02-29T12:00:00.5Z',
        '1969-12-31T23:59:59+05:30',
        '',
        '9999-12-31T23:59:59.999999Z',
        '0001-01-01T00:00:00Z',
        '2024-02-29T12:00:00-08:00',
      ][i],
      text,
      ...odd.map((_, at) => `${i}${at}`),
    ])
    const quoted = header.map((name) => `"${name.replaceAll('"', '""')}"`)
    const sent = await client.upload({ content: `${[quoted, ...records].map(String).join('\n')}\n` })
    assert.equal(sent.records.accepted, records.length)
    assert.deepEqual(
      sent.columns.slice(0, 10).map(({ type }) => type),
      [
        'integer',
        'decimal(38,2)',
        'decimal(38,10)',
        'number',
        'boolean',
        'date',
        'time',
        'timestamp',
        'timestamptz',
        'text',
      ],
    )
    for (const mode of ['replace', 'append']) await copy(sent.id, { table: `exact_${mode}`, mode })
    const types = await query(
      "SELECT name, type FROM system.columns WHERE database = 'test' AND table = 'exact_append' AND default_kind = '' ORDER BY position",
    )
    assert.deepEqual(
      types.map(([name]) => name),
      header,
    )
    assert.deepEqual(
      types.slice(0, 10).map(([, type]) => String(type).replace(/^Nullable\((.*)\)$/, '$1')),
      [
        'Int64',
        'Decimal(38, 2)',
        'Decimal(38, 10)',
        'Float64',
        'Bool',
        'Date32',
        'Time64(6)',
        "DateTime64(6, 'UTC')",
        "DateTime64(6, 'UTC')",
        'String',
      ],
    )
    const moments = [
      ['0001-01-01 23:59:59.999999', '2024-02-29 12:00:00.500000'],
      ['9999-12-31 00:00:00.000000', '1969-12-31 18:29:59.000000'],
      [null, null],
      ['1899-12-31 12:34:56.000001', '9999-12-31 23:59:59.999999'],
      ['2300-01-01 00:00:00.000001', '0001-01-01 00:00:00.000000'],
      ['1970-01-01 01:02:03.000000', '2024-02-29 20:00:00.000000'],
    ]
    const plainTexts = ['a "quoted", text', 'line 1\nline 2', null, '', '\\N', "\u0001\t\\'` 😀 e\u0301"]
    const wanted = records.map((cells, i) => {
      const orNull = (cell: string | undefined) => (cell === '' || cell === undefined ? null : cell)
      const [whole, price, exact, ratio, flag, day, clock] = cells.map(orNull)
      return [
        whole,
        price,
        exact,
        ratio === null ? null : Number(ratio),
        flag === null ? null : flag === 'true',
        day,
        clock,
        ...moments[i]!,
        plainTexts[i],
        ...odd.map((_, at) => `${i}${at}`),
      ]
    })
    for (const mode of ['replace', 'append']) {
      const rows = await query(
        `SELECT * REPLACE(toString(price) AS price, toDecimalString(exact, 10) AS exact, toDecimalString(price, 2) AS price) FROM exact_${mode}`.replace(
          'toString(price) AS price, ',
          '',
        ),
      )
      assert.deepEqual(rows, wanted)
    }
  })

  test('a dataset of many parts is in its table once, after appending and after replacing', async () => {
    const random = createRandom(7)
    const lines = Array.from({ length: 120_000 }, (_, i) => `${i},${random(1e9)},text ${random(1e9)}`)
    const large = await client.upload(`id,number,text\n${lines.join('\n')}\n`)
    assert.ok(large.parts.length > 1, `${large.parts.length} parts`)
    const small = await client.upload('id,number\n-1,5\n')
    const sums = 'SELECT count(), sum(id), sum(number), uniqExact(text) FROM many'
    const sum = lines.reduce((all, line) => all + BigInt(line.split(',')[1]!), 0n)
    const unique = new Set(lines.map((line) => line.split(',')[2])).size
    const ids = (120_000n * 119_999n) / 2n
    const appended = [['120001', String(ids - 1n), String(sum + 5n), String(unique)]]
    for (const { id } of [large, small, large, small]) await copy(id, { table: 'many', mode: 'append' })
    assert.deepEqual(await query(sums), appended)
    const origins = await query('SELECT _csv_upload_dataset, count() FROM many GROUP BY 1 ORDER BY 2')
    assert.deepEqual(origins, [
      [small.id, '1'],
      [large.id, '120000'],
    ])
    await copy(large.id, { table: 'many' })
    assert.deepEqual(await query(sums), [['120000', String(ids), String(sum), String(unique)]])
    assert.deepEqual(await query("SELECT name FROM system.tables WHERE database = 'test' AND name LIKE 'many%'"), [
      ['many'],
    ])
  })

  test('of upserted records with the same key the last wins, and a null in a key is refused', async () => {
    const wish = { table: 'stock', mode: 'upsert', key: ['shop', 'item'] }
    const filler = Array.from({ length: 60_000 }, (_, i) => `Z,${i},${i},${'x'.repeat(30)}`).join('\n')
    const first = await client.upload(`shop,item,count,note\nA,1,1,\nA,2,2,\nA,1,3,\n${filler}\nA,2,4,late\n`)
    assert.ok(first.parts.length > 1)
    await copy(first.id, wish)
    const rows = () => query("SELECT shop, item, count FROM stock FINAL WHERE shop != 'Z' ORDER BY shop, item")
    assert.deepEqual(await rows(), [
      ['A', '1', '3'],
      ['A', '2', '4'],
    ])
    // Whatever the order of the key columns.
    const reversed = { ...wish, key: wish.key.toReversed() }
    await copy((await client.upload('shop,item,count,note\nA,2,20,\nB,1,5,\n')).id, reversed)
    const wanted = [
      ['A', '1', '3'],
      ['A', '2', '20'],
      ['B', '1', '5'],
    ]
    assert.deepEqual(await rows(), wanted)
    const nulls = await client.upload('shop,item,count,note\nC,9,1,\nC,,9,\n')
    const refused = await copied(nulls.id, wish)
    assert.equal(
      refused.problem,
      'The database refuses the copy: Cannot convert NULL value to non-Nullable type for column item: read stage: ColumnData: column: item',
    )
    assert.deepEqual(await rows(), wanted)
  })

  test('a table that does not match is not changed, and the owner is told why', async () => {
    const { id } = await client.upload('id,name\n1,Ada\n')
    await copy(id, { table: 'people', mode: 'append' })
    const wrong = await client.upload('id,name\n1.5,Ada\n')
    const refused = await copied(wrong.id, { table: 'people', mode: 'append' })
    assert.equal(
      refused.problem,
      "Table 'people' has a column 'id' of Nullable(Int64): decimal(9,1) needs Decimal(9, 1)",
    )
    assert.deepEqual(await query('SELECT * FROM people'), [['1', 'Ada']])
    const none = await client.upload('id,name\n')
    await copy(none.id, { table: 'none' })
    assert.deepEqual(await query('SELECT count() FROM none'), [['0']])
  })

  test('a copy continues after the engine was killed during it, and nothing of the first try stays', async () => {
    const lines = Array.from({ length: 300_000 }, (_, i) => `${i},text ${i}`)
    const { id, parts } = await client.upload(`id,text\n${lines.join('\n')}\n`)
    assert.ok(parts.length > 3)
    const one = await client.upload('id,text\n-1,\n')
    await copy(one.id, { table: 'lasting', mode: 'append' })
    const path = `/qas/datasets/${id}/copies`
    const wish = { to: 'ch', table: 'lasting', mode: 'append' }
    assert.equal((await client.askJson(path, Buffer.from(JSON.stringify(wish)))).status, 202)
    const isFilling =
      "SELECT name FROM system.tables WHERE database = 'test' AND name LIKE 'lasting\\_\\_%' AND total_rows > 0"
    while ((await query(isFilling)).length === 0) {
      const { copies } = JSON.parse((await client.get(path)).toString()) as { readonly copies: readonly CopyStatus[] }
      assert.notEqual(copies[0]?.state, 'done', 'it was too fast to be killed')
    }
    await engine.kill()
    await engine.start()
    await copy(id, { table: 'lasting', mode: 'append' })
    const sum = String((300_000n * 299_999n) / 2n - 1n)
    assert.deepEqual(await query('SELECT count(), sum(id), uniqExact(id) FROM lasting'), [['300001', sum, '300001']])
  })
}

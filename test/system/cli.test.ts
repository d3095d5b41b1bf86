// Tests of the command line with a real service, in pipes: requests, output, saved files and exit codes.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsIn, runCommand as run } from '../support/command.ts'
import { ownService } from '../support/shared-service.ts'

const { service, dir: cwd } = await ownService()
const environment = { CSV_UPLOAD_URL: service.url }
const people = 'id,name\n007,Ada\n008,"Grace, B."\n009\n'

const { command, sent } = commandsIn(cwd, environment)

test('send, list, show, rows and rejects print text and JSON', async () => {
  await writeFile(join(cwd, 'people.csv'), people)
  const first = await command('send', 'people.csv')
  assert.match(
    first.stdout,
    /^[0-9a-f]{32} {2}people\.csv {2}4 records = 1 header \+ 2 rows \+ 1 rejected, 36 B, .*\n {2}1 × too_few_fields\n/,
  )
  await writeFile(join(cwd, 'poem.txt'), 'Rough winds,\n  do shake (the\n\n  darling buds, of\n\nMay, and\n  {lease}\n')
  assert.equal((await command('send', 'poem.txt', '--fail-on', 'serious')).code, 3)
  assert.equal((await command('send', 'people.csv', '--fail-on', 'serious')).code, 0)
  const again = await command('send', 'people.csv', '--fail-on-rejects')
  assert.match(again.stdout, /\(already stored\)/)
  assert.deepEqual([first.code, again.code, first.stderr], [0, 3, ''])
  const id = first.stdout.slice(0, 32)
  await rm(join(cwd, 'data/datasets', id, 'original'))
  const repaired = await command('send', 'people.csv')
  assert.match(repaired.stdout, /\(already stored, damaged; now repaired\)/)

  const [list, listJson, show, showJson, rows, rowsJson, rejects, rejectsJson] = await Promise.all([
    command('list', '--name', 'people'),
    command('list', '--json', '--all'),
    command('show', id),
    command('show', id, '--json'),
    command('rows', id, '--columns', 'name', '--offset', '1'),
    command('rows', id, '--json'),
    command('rejects', id),
    command('rejects', id, '--json', '--all'),
  ])
  assert.match(list.stdout, new RegExp(`^id .*\\n${id} .* 2 +1 +36 B +people\\.csv\\n$`))
  assert.ok(listJson.stdout.split('\n').some((line) => line !== '' && JSON.parse(line).id === id))
  assert.match(show.stdout, /^records +4 records = 1 header \+ 2 rows \+ 1 rejected$/m)
  assert.match(show.stdout, /^id +text +0 +\S/m)
  assert.match(show.stdout, /^file +people\.csv, 36 B, utf-8$/m)
  assert.equal(JSON.parse(showJson.stdout).id, id)
  assert.equal(rows.stdout, 'name\nGrace, B.\n')
  assert.equal(rows.stderr, '2 to 2 of 2\n')
  const behind = await command('rows', id, '--offset', '1000')
  assert.deepEqual([behind.code, behind.stderr], [0, 'No rows after offset 1,000: there are 2\n'])
  assert.deepEqual(JSON.parse(rowsJson.stdout).rows, [
    ['007', 'Ada'],
    ['008', 'Grace, B.'],
  ])
  assert.match(rejects.stdout, /^ +4 +4 +32 +too_few_fields +1 field, expected 2 +009$/m)
  assert.equal(JSON.parse(rejectsJson.stdout).text, '009')
  const none = await command('rejects', id, '--reason', 'nul_byte')
  assert.deepEqual([none.stdout, none.stderr], ['', 'No rejects.\n'])
})

test('get saves a dataset in every format, complete and under its name, and overwrites no other file', async () => {
  const content = people.replaceAll('00', '01')
  const { id } = await sent('forms.csv', content)
  const dir = join(cwd, 'forms')
  await mkdir(dir)
  const forms = ['original', 'csv', 'parquet', 'ndjson', 'rejects', 'receipt']
  const ended = await Promise.all(
    forms.map((form) => command('get', id, '--as', form, '-o', join('forms', form), '--json')),
  )
  assert.deepEqual(
    ended.map(({ code, stderr }) => [code, stderr]),
    forms.map(() => [0, '']),
  )
  const read = (name: string) => readFile(join(dir, name), 'utf8')
  assert.equal(await read('original'), content)
  assert.equal(await read('csv'), 'id,name\n017,Ada\n018,"Grace, B."\n')
  assert.equal(await read('ndjson'), '{"id":"017","name":"Ada"}\n{"id":"018","name":"Grace, B."}\n')
  assert.match(await read('rejects'), /,too_few_fields,/)
  assert.equal((await read('parquet')).slice(0, 4), 'PAR1')
  assert.equal(JSON.parse(ended[0]!.stdout).sha256, JSON.parse(await read('receipt')).file.sha256)

  const named = await command('get', id, '-o', 'forms')
  assert.deepEqual([named.code, await read('forms.csv')], [0, content])
  await writeFile(join(dir, 'csv'), 'mine')
  const refused = await command('get', id, '--as', 'csv', '-o', 'forms/csv')
  assert.deepEqual([refused.code, await read('csv')], [1, 'mine'])
  assert.match(refused.stderr, /forms\/csv: it exists; use --force to overwrite it\n$/)
  assert.equal((await command('get', id, '--as', 'csv', '-o', 'forms/csv', '--force')).code, 0)
  assert.equal((await read('csv')).length, 32)
  assert.equal((await command('get', id, '-o', '-')).stdout, content)
  assert.deepEqual((await readdir(dir)).toSorted(), [...forms, 'forms.csv'].toSorted())
})

test('verify accepts a downloaded dataset, and the stored one', async () => {
  const { id } = await sent('proof.csv', people)
  assert.equal((await command('get', id, '--as', 'dataset', '-o', 'copies/one')).code, 0)
  const { code, stdout } = await command('verify', 'copies/one', join('data', 'datasets', id), '--json')
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([code, lines.map(({ ok }) => ok)], [0, [true, true]])
  await writeFile(join(cwd, 'copies', 'one', 'original'), people.replace('Ada', 'Bob'))
  const wrong = await command('verify', 'copies/one')
  assert.match(wrong.stdout, /^FAIL {2}original {2}SHA-256 \w+, expected \w+$/m)
  assert.deepEqual([wrong.code, wrong.stderr], [1, '1 of 1 failed\n'])

  const single = await sent('single.csv', 'n,t\n1,a\n')
  const right = await command('verify', join('data', 'datasets', single.id))
  assert.match(right.stdout, /^ok {4}data\/part-00000\.parquet {2}.*, 1 record$/m)
})

test('a dataset is found by an id prefix, summarized, read another way, and downloaded as a package', async () => {
  const { id } = await sent('prefix.csv', 'n;t;d;z\n1.50;a;2026-01-02;007\n2.25;b;2026-01-03;008\n')
  const prefix = id.slice(0, 8)
  const shown = await command('show', prefix, '--json')
  assert.equal(JSON.parse(shown.stdout).id, id)
  const missing = await command('show', '0'.repeat(8))
  assert.deepEqual([missing.code, missing.stdout], [1, ''])
  assert.match(missing.stderr, /Cannot find dataset '00000000': no dataset has such an id\n$/)

  const profile = await command('profile', prefix)
  assert.match(
    profile.stdout,
    /^column +type +nulls +distinct +min +max +mean +median\nn +decimal\(\d+,2\) +0 +2 +1\.5 +2\.25 +1\.875 +1\.875\n/,
  )
  assert.match(profile.stdout, /\nt +text .*\nd +date .*\nz +text /)
  const whole = await command('profile', prefix, '--json')
  assert.equal(JSON.parse(whole.stdout).statistics[1].column_type, 'string_label')

  const reading = await command('readings', prefix, '--dialect', '{"delimiter":","}', '--json')
  const { id: other, columns } = JSON.parse(reading.stdout)
  assert.notEqual(other, id)
  assert.equal(columns.length, 1)

  assert.equal((await command('get', prefix, '--as', 'datapackage', '-o', 'package')).code, 0)
  const names = await readdir(join(cwd, 'package'))
  assert.deepEqual(names.toSorted(), ['data.csv', 'datapackage.json', 'original'])
  const { resources } = JSON.parse(await readFile(join(cwd, 'package', 'datapackage.json'), 'utf8'))
  for (const { path } of resources) assert.ok(names.includes(path), path)
})

test('scrub names damaged files in a data directory while its service runs', async () => {
  const { id } = await sent('scrub.csv', 'n,t\n1,kept\n')
  const clean = await command('scrub', 'data')
  assert.match(clean.stdout, /^\d+ datasets?, \d+ files?, .+ read, 0 damaged\n$/)
  assert.equal(clean.code, 0)
  const path = join(cwd, 'data', 'datasets', id, 'original')
  await writeFile(path, 'n,t\n1,kent\n')
  const damaged = await command('scrub', 'data')
  const json = await command('scrub', 'data', '--json')
  await writeFile(path, 'n,t\n1,kept\n')
  assert.match(damaged.stdout, new RegExp(`^FAIL {2}${id} {2}original {2}SHA-256 \\w+, expected \\w+\n.* 1 damaged\n$`))
  assert.deepEqual([damaged.code, json.code], [1, 1])
  const { file, id: named } = JSON.parse(json.stdout)
  assert.deepEqual([named, file], [id, 'original'])
  const nothing = await command('scrub', 'elsewhere')
  assert.deepEqual([nothing.code, nothing.stdout], [1, ''])
})

test('query prints a table, JSON, NDJSON and CSV', async () => {
  const { id } = await sent('query.csv', 'n,t\n1,a\n2,b\n3,\n')
  const sql = 'SELECT n, t FROM data WHERE n > 1 ORDER BY n'
  const [table, json, lines, csv] = await Promise.all([
    command('query', id, sql),
    command('query', id, sql, '--json'),
    run(['query', id, '-', '--as', 'ndjson'], { environment, cwd, input: sql }),
    command('query', id, sql, '--as', 'csv'),
  ])
  assert.equal(table.stdout, 'n  t\n2  b\n3\n')
  assert.deepEqual(JSON.parse(json.stdout).rows, [
    [2, 'b'],
    [3, null],
  ])
  assert.equal(lines.stdout, '{"n":2,"t":"b"}\n{"n":3,"t":null}\n')
  assert.match(csv.stdout, /^n,t\r?\n2,b\r?\n3,\r?\n$/)
  const refused = await command('query', id, 'SELECT nothing FROM data')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^csv-upload query: Cannot run query: .*\n[\s\S]*\^\n?$/)
})

test('send accepts standard input, patterns and many files, several at once, and prints a line for each', async () => {
  const piped = await run(['send', '-', '--name', 'piped.csv', '--dialect', '{"header":false}', '--json'], {
    environment,
    cwd,
    input: 'a;b\nc;d\n',
  })
  const { receipt } = JSON.parse(piped.stdout)
  assert.deepEqual([receipt.file.name, receipt.records.accepted, receipt.dialect.delimiter], ['piped.csv', 2, ';'])
  const shown = await run(['send', '-', '--name', 'piped.csv'], { environment, cwd, input: 'a;b\nc;d\n' })
  assert.match(shown.stdout, /^[0-9a-f]{32} {2}piped\.csv {2}/)

  const dir = join(cwd, 'many')
  await mkdir(dir)
  await Promise.all(Array.from({ length: 100 }, (_, i) => writeFile(join(dir, `f${i}.csv`), `id\n${i}\n${i + 1}\n`)))
  await symlink('f0.csv', join(dir, 'again.csv'))
  const many = await command('send', 'many/f*.csv', 'many/f7.csv', '--jobs', '8', '--json')
  const lines = many.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([many.code, lines.length, lines.every(({ ok }) => ok)], [0, 100, true])
  assert.equal(new Set(lines.map((line) => line.receipt.id)).size, 100)
  assert.match(many.stderr, /^100 files sent: 300 records = 100 header \+ 200 rows\n$/)

  const schema = await command('send', 'many/f1.csv', '--dialect', '@many/f1.csv')
  assert.match(schema.stderr, /Cannot use --dialect: it is not a JSON object \(see /)
  assert.equal(schema.code, 2)
})

test('send continues after a file that fails', async () => {
  await writeFile(join(cwd, 'good.csv'), 'a,b\n1,2\n')
  await writeFile(join(cwd, 'empty.csv'), '')
  await writeFile(join(cwd, 'pic.csv'), Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'))
  const { code, stdout, stderr } = await command('send', 'empty.csv', 'pic.csv', 'good.csv', '--jobs', '1')
  assert.equal(code, 1)
  assert.match(stdout, /^[0-9a-f]{32} {2}good\.csv {2}2 records = 1 header \+ 1 row,/)
  assert.match(
    stderr,
    /^empty\.csv: Cannot accept file: it is empty .* \(400\)\npic\.csv: Cannot read file as CSV: .* \(422\)\n1 file sent, 2 failed: /,
  )
})

test('send refuses a file that is too large before sending a byte', async () => {
  await writeFile(join(cwd, 'sparse.csv'), '')
  await truncate(join(cwd, 'sparse.csv'), 2 ** 31)
  const { code, stderr } = await command('send', 'sparse.csv')
  assert.equal(code, 1)
  assert.match(stderr, /^sparse\.csv: Cannot accept file: it is larger than the limit of 1048576000 bytes \(413\)\n$/)
})

test('each failure of a command has its exit code and one line', async () => {
  const id = '0'.repeat(32)
  const nobody = { CSV_UPLOAD_URL: 'http://127.0.0.1:1' }
  const cases: readonly [readonly string[], Record<string, string>, number, RegExp][] = [
    [['send'], {}, 2, /^csv-upload send: Cannot start: no file given \(see csv-upload send --help\)\n$/],
    [['list'], { CSV_UPLOAD_ULR: 'x' }, 2, /^csv-upload list: Cannot use CSV_UPLOAD_ULR: .* mean CSV_UPLOAD_URL\?/],
    [['rows', id, '--limt'], {}, 2, /^csv-upload rows: .* did you mean --limit\? \(see csv-upload rows --help\)\n$/],
    [['show', id], {}, 1, /^csv-upload show: Cannot find dataset '0{32}'.* \(404\)\n$/],
    [['send', 'people.csv', '--retries', '0'], nobody, 5, /^people.csv: Cannot reach http:\/\/127\.0\.0\.1:1: connect/],
    [
      ['list', '--json', '--retries', '0'],
      nobody,
      5,
      /^\{"error":\{"kind":"unreachable","message":"Cannot [^\n]*\}\}\n$/,
    ],
  ]
  for (const [args, variables, code, said] of cases) {
    const ended = await run(args, { environment: { ...environment, ...variables }, cwd })
    assert.match(ended.stderr, said, args.join(' '))
    assert.deepEqual([ended.code, ended.stdout], [code, ''], args.join(' '))
  }
})

test('doctor says what it found of sandbox, DuckDB, disk and store where the server is on this machine', async () => {
  const doctor = async (dir: string) => {
    const { code, stdout } = await command('doctor', '--json', '--data', dir)
    const { checks } = JSON.parse(stdout) as { checks: { check: string; ok: boolean; detail: string }[] }
    return { code, found: (name: string) => checks.find(({ check }) => check === name) }
  }
  const { code, found } = await doctor(service.dataDir)
  assert.equal(code, 0)
  assert.match(found('sandbox')?.detail ?? '', /^children here have \w+/)
  assert.equal(found('duckdb')?.detail, 'installed')
  assert.match(found('disk')?.detail ?? '', /data: [\d.]+ [GTM]B free$/)
  assert.match(found('store')?.detail ?? '', new RegExp(`^format 1, \\d+ datasets?, opened by process ${service.pid} `))

  const newer = join(cwd, 'newer')
  await mkdir(newer)
  assert.equal((await doctor(newer)).found('store')?.detail, 'format not numbered yet, 0 datasets, not open')
  await writeFile(join(newer, 'format'), '2\n')
  const refused = await doctor(newer)
  assert.deepEqual([refused.code, refused.found('store')?.ok], [1, false])
})

test('doctor looks at a data directory only with --data, or without a URL, and says which', async () => {
  const checked = async (...args: string[]) => {
    const { stdout } = await run(['doctor', '--json', ...args], { environment: {}, cwd })
    const { checks } = JSON.parse(stdout) as { checks: { check: string; detail: string }[] }
    return checks.filter(({ check }) => check === 'disk' || check === 'store').map(({ detail }) => detail)
  }
  assert.deepEqual(await checked('--url', service.url), [])
  const [disk, ...more] = await checked('--url', service.url, '--data', 'nowhere')
  assert.deepEqual([disk, more.length], [`${join(cwd, 'nowhere')}: no such directory yet`, 1])
  assert.match((await checked())[0] ?? '', new RegExp(`^${join(cwd, 'data')}: `))
})

test('doctor accepts a healthy server, rm deletes', async () => {
  const { id } = await sent('gone.csv', 'a,b\n5,6\n')
  const doctor = await command('doctor', '--json')
  const { ok, checks } = JSON.parse(doctor.stdout)
  assert.deepEqual([ok, doctor.code], [true, 0], doctor.stdout)
  const limit = checks.find(({ check }: { check: string }) => check === 'limit')
  assert.match(limit.detail, /1000 MB per request \(1048576000 bytes\)/)
  assert.equal((await command('rm', '--trash', id)).stdout, `moved to the trash ${id}\n`)
  assert.match((await command('list', '--trash')).stdout, new RegExp(id))
  assert.equal((await command('restore', id.slice(0, 8))).stdout, `restored ${id}\n`)
  assert.match((await command('list', '--search', 'GONE')).stdout, new RegExp(id))
  assert.equal((await command('rm', id)).stdout, `deleted ${id}\n`)
  assert.equal((await command('show', id)).code, 1)
})

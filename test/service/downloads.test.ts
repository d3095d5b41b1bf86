// Tests of downloads: every format has the same records, a safe name and the right type.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { dataPackageJson } from '../../src/http/exchange/data-package.ts'
import { Client, refusalOf, type UploadResponse } from '../support/client.ts'
import { scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const scratch = await scratchDir()
const service = await sharedService(smallSegments)
const client = new Client(service.url)
after(() => scratch[Symbol.asyncDispose]())

const recordCount = 20_000
const wide = 9_007_199_254_740_993n
let receipt: UploadResponse

before(async () => {
  const content = csvText('id,"last, first",when,amount,big', recordCount, (i) => {
    return `${i},"name ""${i}"", ${'x'.repeat(20)}",2024-02-${10 + (i % 19)},${i}.50,${wide + BigInt(i)}`
  })
  receipt = await client.upload({ content, fileName: 'Größe.csv' })
  // The number of parts depends on how the bytes arrive.
  assert.ok(receipt.parts.length > 3, `${receipt.parts.length} parts`)
})

test('data.ndjson has every row, with its members in column order and exact values', async () => {
  const text = (await client.get(receipt.links.ndjson)).toString()
  assert.ok(text.endsWith('}\n'))
  const lines = text.split('\n').slice(0, -1)
  const members = lines.map((line) => Object.entries(JSON.parse(line) as object))
  assert.ok(members.every((one) => one.map(([name]) => name).join() === 'id,last, first,when,amount,big'))
  assert.deepEqual(
    members.map((one) => one.map(([, value]) => value)),
    await client.allRows(receipt),
  )
  await until('nothing unfinished is left', () => service.incoming().length === 0)
})

test('data.ndjson of a dataset without rows is empty', async () => {
  const { links } = await client.upload('a,b\n')
  assert.equal((await client.get(links.ndjson)).length, 0)
})

test('parts are as the receipt says, whole and in ranges', async () => {
  for (const [i, { bytes, sha256 }] of receipt.parts.entries()) {
    const path = `${receipt.links.self}/parts/${i}.parquet`
    const { status, headers, body } = await client.ask('GET', path)
    assert.equal(status, 200)
    assert.equal(headers['content-length'], String(bytes))
    assert.equal(createHash('sha256').update(body).digest('hex'), sha256)
    assert.equal(headers.etag, `"${sha256}"`)
    assert.equal(headers['repr-digest'], `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`)
    assert.match(String(headers['content-disposition']), new RegExp(`part-0000${i}\\.parquet`))
    if (i > 1) break
    const part = await client.ask('GET', path, undefined, { range: 'bytes=5-99' })
    assert.equal(part.status, 206)
    assert.ok(part.body.equals(body.subarray(5, 100)))
    assert.equal((await client.ask('GET', path, undefined, { 'if-none-match': `"${sha256}"` })).status, 304)
  }
})

test('a part that does not exist is not found', async () => {
  for (const index of [String(receipt.parts.length), '-1', '00', 'x', '', '1e1', '99999999']) {
    const answer = await client.ask('GET', `${receipt.links.self}/parts/${index}.parquet`)
    assert.equal(answer.status, 404, index)
    assert.match(refusalOf(answer).exception, /NoHandlerFound/)
  }
  const none = await client.ask('GET', `/qas/datasets/${'0'.repeat(32)}/parts/0.parquet`)
  assert.match(refusalOf(none).exception, /DatasetNotFound/)
})

test('data.parquet of one part is that part, with its validator', async () => {
  const one = await client.upload('a,b\n1,2\n')
  const { headers, body } = await client.ask('GET', one.links.parquet)
  assert.equal(headers.etag, `"${one.parts[0]!.sha256}"`)
  assert.equal(headers['content-length'], String(one.parts[0]!.bytes))
  const part = await client.ask('GET', one.links.parquet, undefined, { range: 'bytes=-4' })
  assert.deepEqual([part.status, part.body.toString()], [206, 'PAR1'])
  assert.ok(part.body.equals(body.subarray(-4)))
})

test('data.parquet of many parts has a length, a validator and ranges, and is identical each time', async () => {
  const path = receipt.links.parquet
  const head = await client.ask('HEAD', path)
  assert.equal(head.body.length, 0)
  const whole = await client.ask('GET', path)
  const etag = String(whole.headers.etag)
  assert.match(etag, /^"[0-9a-f]{64}"$/)
  for (const { status, headers } of [head, whole]) {
    assert.equal(status, 200)
    assert.equal(headers['content-length'], String(whole.body.length))
    assert.equal(headers.etag, etag)
    assert.equal(headers['accept-ranges'], 'bytes')
  }
  // Like readers of Parquet: the length of the footer, the footer, and a range of some column.
  const tail = await client.ask('GET', path, undefined, { range: 'bytes=-8' })
  assert.deepEqual([tail.status, tail.body.subarray(4).toString()], [206, 'PAR1'])
  const footerBytes = tail.body.readUInt32LE(0)
  for (const range of [`bytes=-${footerBytes + 8}`, 'bytes=4-70000', `bytes=65530-${whole.body.length - 1}`]) {
    const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
    const wanted = from === '' ? whole.body.subarray(-Number(to)) : whole.body.subarray(Number(from), Number(to) + 1)
    const part = await client.ask('GET', path, undefined, { range, 'if-range': etag })
    assert.equal(part.status, 206, range)
    assert.ok(part.body.equals(wanted), range)
  }
  assert.equal((await client.ask('GET', path, undefined, { 'if-none-match': etag })).status, 304)
  assert.equal((await client.ask('GET', path, undefined, { range: `bytes=${whole.body.length}-` })).status, 416)
  const again = await client.ask('GET', path)
  assert.equal(again.headers.etag, etag)
  assert.ok(again.body.equals(whole.body))
})

test('columns whose names contain commas and quotes can be selected', async () => {
  for (const columns of ['"last, first",id', '"last, first","id"']) {
    const page = await client.rows(receipt, `?limit=1&columns=${encodeURIComponent(columns)}`)
    assert.deepEqual(
      page.columns.map(({ name }) => name),
      ['last, first', 'id'],
    )
  }
  const answer = await client.ask('GET', `${receipt.links.rows}?columns=${encodeURIComponent('"id')}`)
  assert.match(refusalOf(answer).message, /parameter 'columns'/)
})

/** Every line of rejects.csv except the header, by column. */
async function rejectLines({ links }: UploadResponse): Promise<Record<string, string>[]> {
  const text = (await client.get(links.rejectsCsv)).toString()
  return parse(text, { columns: true, record_delimiter: '\r\n', relax_column_count: false })
}

test('rejects.csv has every reject with its complete record', async () => {
  const bad = ['1,2,3', `"${'a"",b\r\n'.repeat(40_000)}"x,1,2`, '1', 'q"q,"b"']
  // Long enough for several pages of rejects.
  const content = `a,b\n${bad.join('\n')}\n${'1,2\n7,8,"9"\n'.repeat(11_000)}`
  const answer = await client.upload(content)
  const lines = await rejectLines(answer)
  assert.equal(lines.length, answer.rejects.count)
  assert.ok(lines.length > 11_000)
  for (const [i, line] of lines.entries()) {
    const start = Number(line.byteOffset)
    assert.equal(line.base64, '')
    assert.ok(line.text === content.slice(start, start + Number(line.byteLength)), `reject ${i}`)
  }
  const page = JSON.parse((await client.get(`${answer.links.rejects}?limit=10000`)).toString())
  for (const [i, { record, line, reason, message, column }] of page.rejects.entries()) {
    const shown = lines[i]!
    assert.deepEqual(
      [shown.record, shown.line, shown.reason, shown.message, shown.column],
      [String(record), String(line), reason, message, column === null ? '' : String(column)],
    )
  }
})

test('rejects.csv has the bytes of a record that is not text, long or short', async () => {
  const good = 'a,b\n1,ä\n2,ö\n'.repeat(20)
  const wrong = [
    Buffer.from([0x31, 0x2c, 0xff]),
    Buffer.concat([Buffer.alloc(400_000, 0x61), Buffer.from([0x2c, 0xc3])]),
  ]
  const answer = await client.upload(
    Buffer.concat([Buffer.from(good), ...wrong.flatMap((bytes) => [bytes, Buffer.from('\n')])]),
  )
  const lines = await rejectLines(answer)
  assert.deepEqual(
    lines.map(({ text }) => text),
    ['', ''],
  )
  assert.ok(lines.every(({ base64 }, i) => Buffer.from(base64!, 'base64').equals(wrong[i]!)))
})

test('rejects.csv shows records of another encoding as text', async () => {
  const long = `ü,${'€ß'.repeat(150_000)},x`
  const content = Buffer.from(`\ufeffa,b\n1,ä\nü,€,x\n${long}\n`, 'utf16le')
  const answer = await client.upload(content)
  assert.equal(answer.encoding.name, 'utf-16le')
  assert.ok((await rejectLines(answer)).every(({ text }, i) => text === ['ü,€,x', long][i]))
})

test('rejects.csv of a file without rejects is its header', async () => {
  assert.deepEqual(await rejectLines(receipt), [])
  assert.equal(
    (await client.get(receipt.links.rejectsCsv)).toString(),
    'record,text,base64,line,byteOffset,byteLength,column,reason,message\r\n',
  )
})

test('data.csv of a large file copies stretches that are already in its form, and leaves out the rest', async () => {
  const lines = Array.from({ length: 80_000 }, (_, i) => `${i},"name ""${i}""",${'x'.repeat(i % 40)}`)
  const file = (texts: readonly string[], lineEnd: string) => `id,name,text${lineEnd}${texts.join(lineEnd)}`
  const broken = lines.toSpliced(40_000, 0, 'too,few', '', '1,2,3,4').toSpliced(70_000, 0, '1,"\r",3')
  for (const lineEnd of ['\n', '\r\n']) {
    const { links } = await client.upload(file(broken, lineEnd))
    const kept = broken.filter((line) => line !== 'too,few' && line !== '' && line !== '1,2,3,4')
    // The last record has a line end here.
    const wanted = `${file(kept, lineEnd)}${lineEnd}`
    const found = (await client.get(links.csv)).toString()
    assert.ok(found === wanted, `${JSON.stringify(lineEnd)}: ${found.length} characters, expected ${wanted.length}`)
    const swapped = (await client.get(`${links.csv}?delimiter=;`)).toString()
    assert.ok(swapped.startsWith(`id;name;text${lineEnd}0;"name ""0""";${lineEnd}1;`), swapped.slice(0, 60))
    assert.equal(swapped.length, wanted.length)
  }
})

test('data.csv escapes formulas only on request', async () => {
  const content = 'a,=b\n=1+2,-5\n"@x, y",+3.2e1\n-,"-1+1"\n,""\n'
  const { links } = await client.upload(content)
  assert.equal((await client.get(links.csv)).toString(), content)
  assert.equal((await client.get(`${links.csv}?spreadsheet=false`)).toString(), content)
  assert.equal(
    (await client.get(`${links.csv}?spreadsheet=true`)).toString(),
    `a,"'=b"\n"'=1+2",-5\n"'@x, y",+3.2e1\n"'-","'-1+1"\n,""\n`,
  )
})

/** Numbers with a decimal comma, German dates, nulls and empty texts. */
const german = [
  'Preis;Tag;Notiz;Konto;ja',
  '1.234,56;31.12.2024;a;-5;true',
  '2,00;01.02.2025;"";7;false',
  '-1.000,50;13.01.2025;=1+1;12;true',
  ';;"x; ""y""";;',
  '',
].join('\n')

test('data.csv for Excel begins with a BOM, and leaves numbers and dates alone', async () => {
  const { links, columns } = await client.upload(german)
  assert.deepEqual(
    columns.map(({ type }) => type),
    ['decimal(9,2)', 'date', 'text', 'integer', 'boolean'],
  )
  const text = async (query: string) => (await client.get(`${links.csv}?${query}`)).toString()
  const escaped = german.replace('=1+1', `"'=1+1"`)
  assert.equal(await text('spreadsheet=excel&delimiter=;'), `\ufeff${escaped}`)
  assert.equal(await text('spreadsheet=true&delimiter=;'), escaped)
  assert.equal(await text('spreadsheet&delimiter=;'), escaped)
  assert.equal(await text('delimiter=;'), german)
  assert.equal((await text('delimiter=tab')).split('\n')[4], '\t\t"x; ""y"""\t\t')
  assert.equal((await text('spreadsheet=true')).split('\n')[3], `"-1.000,50",13.01.2025,"'=1+1",12,true`)
})

test('a null word that does not look like a number is escaped in a numeric column, too', async () => {
  const schema = { fields: [{ name: 'n', type: 'number', missingValues: ['-cmd', '@x', '-'] }] }
  const { links } = await client.upload({ content: 'n\n-5\n-cmd\n@x\n-\n', schema })
  assert.equal((await client.get(`${links.csv}?spreadsheet=true`)).toString(), `n\n-5\n"'-cmd"\n"'@x"\n-\n`)
})

test('data.csv?typed writes typed values, for databases', async () => {
  const { links } = await client.upload(german)
  const typed = [
    'Preis,Tag,Notiz,Konto,ja',
    '1234.56,2024-12-31,a,-5,true',
    '2.00,2025-02-01,"",7,false',
    '-1000.50,2025-01-13,=1+1,12,true',
    ',,"x; ""y""",,',
    '',
  ].join('\n')
  assert.equal((await client.get(`${links.csv}?typed=true`)).toString(), typed)
  const semicolons = (await client.get(`${links.csv}?typed=true&delimiter=;`)).toString()
  assert.match(semicolons, /^Preis;Tag;.*\n1234\.56;2024-12-31;a;-5;true\n/)
  const refusal = refusalOf(await client.ask('GET', `${links.csv}?typed=true&spreadsheet=excel`))
  assert.deepEqual([refusal.status, refusal.exception], [400, 'csvupload.BadParameterException'])
  const times = await client.upload(
    'at,t,x\n2024-01-31T12:00:00+02:00,12:30:00,1e20\n2024-02-29T00:00:00Z,00:00:01,-0.5\n',
  )
  assert.equal(
    (await client.get(`${times.links.csv}?typed=true`)).toString(),
    'at,t,x\n2024-01-31 10:00:00Z,12:30:00,1e+20\n2024-02-29 00:00:00Z,00:00:01,-0.5\n',
  )
})

test('data.csv?typed of many parts has every record once, and the header if it should', async () => {
  const content = csvText('a,b', 60_000, (i) => `${i},name ${i} ${'x'.repeat(30)}`).slice(4)
  const { links, parts, records } = await client.upload({ content, dialect: { header: false } })
  assert.ok(parts.length > 1)
  const lines = (await client.get(`${links.csv}?typed=true`)).toString().split('\n')
  assert.deepEqual([lines.length, lines[0]], [records.accepted + 1, `0,name 0 ${'x'.repeat(30)}`])
  assert.equal((await client.get(`${links.csv}?typed=true&header=true`)).toString().split('\n')[0], 'column_1,column_2')
})

test('rejects.json is another name for the page of rejects', async () => {
  const { links } = await client.upload('a,b\n1,2\n1\n1,2,3\n1,2\n')
  const page = await client.get(`${links.rejects}?offset=1&limit=1`)
  assert.ok(page.includes('too_many_fields'))
  assert.ok((await client.get(`${links.self}/rejects.json?offset=1&limit=1`)).equals(page))
})

test('datapackage.json describes the files that can be downloaded', async () => {
  const { headers, body } = await client.ask('GET', receipt.links.dataPackage)
  assert.equal(headers['content-type'], 'application/json;charset=UTF-8')
  assert.equal(headers['content-disposition'], 'attachment; filename="datapackage.json"')
  const { resources } = JSON.parse(body.toString()) as ReturnType<typeof dataPackageJson>
  const [data, original] = await Promise.all(resources.map(({ path }) => client.get(`${receipt.links.self}/${path}`)))
  const { bytes, hash } = resources[1]
  assert.deepEqual([bytes, hash], [original!.length, `sha256:${createHash('sha256').update(original!).digest('hex')}`])
  const [names, ...records] = parse(data!, { delimiter: resources[0].dialect.delimiter }) as string[][]
  assert.deepEqual(
    resources[0].schema.fields.map(({ name }) => name),
    names,
  )
  assert.equal(records.length, recordCount)
  assert.deepEqual(
    resources[0].schema.fields.map(({ type }) => type),
    ['integer', 'string', 'date', 'number', 'integer'],
  )
})

test('every download has its type and a safe name', async () => {
  const csv = 'text/csv;charset=UTF-8;header=present'
  const { links } = receipt
  for (const [path, type, name] of [
    [links.original, 'text/csv;charset=utf-8', 'csv'],
    [links.csv, csv, 'csv'],
    [`${links.csv}?spreadsheet=true`, csv, 'csv'],
    [links.ndjson, 'application/x-ndjson;charset=UTF-8', 'ndjson'],
    [links.parquet, 'application/vnd.apache.parquet', 'parquet'],
    [`${links.self}/parts/0.parquet`, 'application/vnd.apache.parquet', 'part-00000.parquet'],
    [links.rejectsCsv, csv, 'rejects.csv'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await client.ask(method, path)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], type, path)
      assert.equal(
        headers['content-disposition'],
        `attachment; filename="Gr__e.${name}"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.${name}`,
      )
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  }
  const { links: headless } = await client.upload({ content: '1,2\n3,4\n', dialect: { header: false } })
  const typeOf = async (path: string) => (await client.ask('GET', path)).headers['content-type']
  assert.equal(await typeOf(headless.csv), 'text/csv;charset=UTF-8;header=absent')
  assert.equal(await typeOf(`${headless.csv}?header=true`), csv)
})

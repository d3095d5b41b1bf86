// Tests of compressed files: a gzip or Zstandard file gives the same dataset as its text, and is stored as received.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { Client, type UploadResponse } from '../support/client.ts'
import { createRandom, csvText, randomCsv, seed } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { checksOf } from '../support/verified.ts'

const service = await ownService([
  ...['--segment-size', '64KB'],
  ...['--record-size-max', '2KB'],
  ...['--max-decompressed-size', '32MB'],
])
const client = new Client(service.url)
const dir = dirname(service.dataDir)

const formats = { gzip: gzipSync, zstd: zstdCompressSync } as const
const texts: Readonly<Record<string, { text: Buffer; dialect?: object }>> = {
  'of a few records': { text: Buffer.from('id,n\n1,2\n2,3\nx\n') },
  'random, with all kinds of faults': { text: Buffer.from(randomCsv(createRandom(seed))) },
  'whose types need a second pass': {
    text: Buffer.from(csvText('id,n', 200_000, (i) => `${i},${i === 199_999 ? 'x' : i}`)),
  },
  'in UTF-16': { text: Buffer.from('\ufeffa;b\r\n1;ä\r\n2;3;4\r\n', 'utf16le') },
  'with records skipped by a declared comment': {
    text: Buffer.from('# note\na,b\n1,2\n#x\n3\n'),
    dialect: { commentChar: '#' },
  },
}

for (const [format, compress] of Object.entries(formats)) {
  for (const [what, { text, dialect }] of Object.entries(texts)) {
    test(`a text ${what} is uploaded as ${format} (SEED=${seed})`, async () => {
      const content = compress(text)
      const plain = await client.upload({ content: text, ...(dialect && { dialect }) })
      const compressed = await client.upload({ content, fileName: 'no-telling-name', ...(dialect && { dialect }) })
      assert.deepEqual(compressed.file.compression, { format, bytes: text.length, sha256: sha256(text) })
      assert.equal(compressed.file.bytes, content.length)
      assert.equal(compressed.file.sha256, sha256(content))
      assert.ok((await client.get(compressed.links.original)).equals(content))
      await assertSameData(compressed, plain)
      await assertVerified(compressed.id)
      assert.equal((await client.upload({ content, ...(dialect && { dialect }) })).duplicate, true)
    })
  }

  test(`a ${format} file is read another way without being sent again`, async () => {
    const { links, file } = await client.upload(compress(Buffer.from('a;b,c\n1;2,3\n4;5,6\n7,8\n')))
    const answer = await client.askJson(links.readings, Buffer.from(JSON.stringify({ dialect: { delimiter: ';' } })))
    assert.equal(answer.status, 200)
    const read = JSON.parse(answer.body.toString()) as UploadResponse
    assert.deepEqual(read.file.compression, file.compression)
    assert.equal(read.records.rejected, 1)
    assert.match((await client.get(read.links.rejectsCsv)).toString(), /"7,8"/)
    await assertVerified(read.id)
  })

  test(`a ${format} file that decompresses to more than the limit is refused with 413`, async () => {
    const bomb = compress(Buffer.alloc(40 * 1024 * 1024, '1,2\n'))
    const refusal = await client.refused({ content: bomb })
    assert.equal(refusal.status, 413)
    assert.match(refusal.message, /decompressed|times as large/)
    assert.deepEqual(service.incoming(), [])
  })
}

for (const [format, compress] of Object.entries(formats)) {
  test(`a truncated ${format} file is read as far as possible, and the receipt says so`, async () => {
    const text = csvText('id,n', 200_000, (i) => `${i},${(i * 7919) % 10_007}`)
    const whole = compress(Buffer.from(text))
    const cut = await client.upload(whole.subarray(0, whole.length >> 1))
    const note = cut.notes.find(({ code }) => code === 'COMPRESSED_DATA_CUT_OFF')
    assert.ok(cut.records.accepted > 1_000 && cut.records.accepted < 200_000, `${cut.records.accepted} accepted`)
    assert.deepEqual(note?.lines, [cut.records.total])
    assert.ok(Buffer.from(text).subarray(0, cut.file.compression?.bytes).length === cut.file.compression?.bytes)
    await assertVerified(cut.id)
    const again = await client.askJson(cut.links.readings, Buffer.from('{"dialect":{"header":false}}'))
    assert.match(again.body.toString(), /COMPRESSED_DATA_CUT_OFF/)
  })
}

test('bytes after the compressed data are stored, and the receipt says that they were not read', async () => {
  const { notes, records, links } = await client.upload(Buffer.concat([gzipSync('a,b\n1,2\n'), Buffer.from('x,y\n')]))
  assert.equal(records.accepted, 1)
  assert.match(notes.map(({ code, message }) => `${code} ${message}`).join(), /COMPRESSED_DATA_FOLLOWED .*4 bytes/)
  assert.ok((await client.get(links.original)).toString('latin1').endsWith('x,y\n'))
})

test('a damaged gzip file is refused with 422, an empty one with 400', async () => {
  const damaged = gzipSync(csvText('id,n', 1_000, (i) => `${i},${i}`))
  damaged[damaged.length - 6] = damaged[damaged.length - 6]! ^ 1
  const refusal = await client.refused({ content: damaged })
  assert.equal(refusal.status, 422)
  assert.match(refusal.message, /gzip.*checksum/)
  assert.equal((await client.refused({ content: gzipSync('') })).status, 400)
})

test('Verifier.verify() accepts a copy of a compressed dataset without its text', async () => {
  const { id, links, parts } = await client.upload(gzipSync('a,b\n1,2\n3\n'))
  const copy = join(dir, 'copy')
  mkdirSync(join(copy, 'data'), { recursive: true })
  writeFileSync(join(copy, 'receipt.json'), await client.get(links.self))
  writeFileSync(join(copy, 'original'), await client.get(links.original))
  for (const [i, { file }] of parts.entries()) {
    writeFileSync(join(copy, file), await client.get(`${links.self}/parts/${i}.parquet`))
  }
  const checks = await checksOf(copy)
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
    id,
  )
  assert.ok(checks.some(({ check }) => check === 'decompressed original'))
})

test('Verifier.verify() and downloads detect a text that differs from the decompressed original', async () => {
  const { id, links } = await client.upload(gzipSync('a,b\n1,2\n3\n'))
  const path = join(service.dataDir, 'datasets', id, 'text')
  assert.equal(readFileSync(path, 'utf8'), gunzipSync(await client.get(links.original)).toString())
  writeFileSync(path, 'a,b\n1,9\n3\n')
  assert.equal((await client.ask('GET', links.rejects)).status, 500)
  const wrong = (await checksOf(dirOf(id))).filter(({ ok }) => !ok).map(({ check }) => check)
  assert.deepEqual(wrong, ['text'])
})

async function assertSameData(one: UploadResponse, other: UploadResponse): Promise<void> {
  const { links } = other
  // The boundaries of parts depend on how the bytes arrive, so only the sums of parts are compared.
  const factsOf = ({ encoding, dialect, records, columns, rejects, parts, body, evidence, notes }: UploadResponse) => {
    const partRecords = parts.reduce((sum, part) => sum + part.records, 0)
    return { encoding, dialect, records, columns, rejects, partRecords, body, evidence, notes }
  }
  assert.deepEqual(factsOf(one), factsOf(other))
  for (const name of ['csv', 'rejectsCsv'] as const) {
    assert.ok((await client.get(one.links[name])).equals(await client.get(links[name])), name)
  }
  for (const path of ['rows', 'rejects'] as const) {
    assert.deepEqual(
      JSON.parse((await client.get(one.links[path])).toString()),
      JSON.parse((await client.get(links[path])).toString()),
    )
  }
}

const dirOf = (id: string) => join(service.dataDir, 'datasets', id)

async function assertVerified(id: string): Promise<void> {
  const checks = await checksOf(dirOf(id))
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  )
  assert.ok(
    checks.some(({ check }) => check === 'decompressed original') && checks.some(({ check }) => check === 'text'),
  )
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

// Multipart over HTTP: uploads broken by a seed against the whole service, and bodies made to be slow to read.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createMultipartParser } from '../../src/multipart/multipart-parser.ts'
import { readPartHead } from '../../src/multipart/part-head.ts'
import { run as runMutatedUploads } from '../../torture/mutated-uploads.ts'
import { Client, contentType, jsonOf, refusalOf, type UploadAnswer } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'

test(`mutated uploads are taken or refused, and the service lives (SEED=${seed})`, async (t) => {
  const figures = await runMutatedUploads('short', seed)
  t.diagnostic(JSON.stringify(figures))
})

const megabyte = 1_048_576
const filled = (piece: string, bytes: number) => Buffer.alloc(bytes, piece, 'latin1')

/** CPU time, and the quickest of three, so that a machine busy with something else does not count. */
function quickestMs(work: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const began = process.cpuUsage()
      work()
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1_000
    }),
  )
}

const long = 'a'.repeat(1_000)
/** A boundary and what a body is filled with so that it is often nearly found. */
const nearly: Readonly<Record<string, readonly [boundary: string, piece: string]>> = {
  'beginnings of the delimiter': ['BnD', '\r\n--Bn'],
  'beginnings of a long delimiter of one letter': [long, `\r\n--${long.slice(1)}`],
  'line ends': ['BnD', '\r\n'],
  hyphens: ['----', '-'],
  'letters of the boundary': [long, 'a'],
  'delimiters that end wrong': ['BnD', '\r\n--BnD x'],
  'multipart within multipart': ['BnD', '\r\n--BnE\r\nContent-Type: multipart/mixed; boundary=BnE\r\n\r\n'],
}

test('hostile bodies are read in time in proportion to their length', () => {
  for (const [what, [boundary, piece]] of Object.entries(nearly)) {
    const head = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="a[a][a]"\r\n\r\n`)
    const read = (bytes: number) => () => {
      const parser = createMultipartParser(boundary, { partsMax: 100, partHeadBytesMax: 10_240 }, nobody)
      parser.push(head)
      const content = filled(piece, bytes)
      for (let at = 0; at < bytes; at += 65_536) parser.push(content.subarray(at, at + 65_536))
    }
    const [small, large] = [quickestMs(read(megabyte)), quickestMs(read(8 * megabyte))]
    // Eight times as much may take some more than eight times as long, but far from 64 times.
    assert.ok(large < 24 * small + 50, `${what}: ${small} ms for 1 MB, ${large} ms for 8`)
    // The slowest measured reads 200 MB a second; 5 is a hundredth of what honest bodies take.
    assert.ok(large < 1_600, `${what}: ${large} ms for 8 MB`)
  }
})

const nobody = { head: () => {}, data: () => {}, end: () => {} }

test('hostile part heads are read in time in proportion to their length', () => {
  const lines: readonly ((bytes: number) => string)[] = [
    (bytes) => `Content-Disposition: form-data; name="${'\\"'.repeat(bytes / 2)}"`,
    (bytes) => `Content-Disposition: form-data; name="file"; filename="${'\\'.repeat(bytes)}`,
    (bytes) => `Content-Disposition: form-data${'; a=b'.repeat(bytes / 5)}`,
    (bytes) => `Content-Disposition: form-data;${' '.repeat(bytes)}x`,
    (bytes) => `Content-Disposition: form-data; filename*=UTF-8''${'%e8'.repeat(bytes / 3)}`,
    (bytes) => `Content-Disposition: ${';'.repeat(bytes)}`,
    (bytes) => `X-A:${' \t'.repeat(bytes / 2)}x`,
    (bytes) => `X-A: b${'\r\n c'.repeat(bytes / 4)}`,
    (bytes) => `Content-Type: text/csv;${'a="'.repeat(bytes / 3)}`,
  ]
  for (const line of lines) {
    const ms = quickestMs(() => {
      try {
        readPartHead(Buffer.from(`${line(65_536)}\r\n\r\n`, 'latin1'))
      } catch {
        // A refusal has to be as quick.
      }
    })
    assert.ok(ms < 50, `${line(20)}: ${ms} ms for 64 KB`)
  }
})

const scratch = await scratchDir()
const service = await RunningService.start(scratch.path, ['--record-size-max', '1MB'])
const client = new Client(service.url)
after(async () => {
  await service[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

test('a transfer encoding is not undone', async () => {
  const boundary = /boundary=(.*)$/.exec(contentType)![1]
  const content = 'a,b\r\nMSwy,=3D\r\n'
  for (const encoding of ['base64', 'quoted-printable', '7bit', 'gzip']) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n`
    const body = `${head}Content-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n--${boundary}--\r\n`
    const answer = await client.ask('POST', '/qas/uploadCsv', Buffer.from(body))
    assert.equal(answer.status, 200, answer.body.toString())
    assert.equal((await client.get(jsonOf<UploadAnswer>(answer).links.original)).toString(), content)
  }
})

const shapes: Readonly<Record<string, Buffer>> = {
  'a million columns': filled('a,', 2_000_000),
  'a line without end': filled('x', 4_000_000),
  'a quote that is never closed': Buffer.concat([Buffer.from('a,b\n1,"'), filled('x\n', 4_000_000)]),
  'quotes alone': filled('"', 4_000_000),
  'line ends alone': filled('\n', 2_000_000),
  'carriage returns alone': filled('\r', 2_000_000),
  delimiters: filled(',;\t|', 2_000_000),
  'rows of every width': Buffer.from(Array.from({ length: 2_000 }, (_, i) => `${'x,'.repeat(i % 300)}y`).join('\n')),
  'NULs behind a header': Buffer.concat([Buffer.from('a,b\n1,2\n'), Buffer.alloc(2_000_000)]),
  'bytes of no encoding': Buffer.concat([Buffer.from('a,b\n'), filled('\xff\xfe\xc0\x80\n', 2_000_000)]),
}

for (const [what, content] of Object.entries(shapes)) {
  test(`files of hostile shape get a verdict: ${what}`, async () => {
    const answer = await client.send({ content })
    if (answer.status === 200) {
      const { records } = jsonOf<UploadAnswer>(answer)
      const { header, blank, skipped, accepted, rejected } = records
      assert.equal(header + blank + skipped + accepted + rejected, records.total)
    } else {
      assert.equal(answer.status, 422, answer.body.toString())
      refusalOf(answer)
    }
  })
}

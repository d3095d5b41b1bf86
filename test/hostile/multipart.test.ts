// Tests of multipart over HTTP: transfer encodings, and files whose shape makes them expensive to read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, contentType, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const filled = (piece: string, bytes: number) => Buffer.alloc(bytes, piece, 'latin1')

const service = await sharedService(smallSegments)
const client = new Client(service.url)

test('a transfer encoding is not decoded', async () => {
  const boundary = /boundary=(.*)$/.exec(contentType)![1]
  const content = 'a,b\r\nMSwy,=3D\r\n'
  for (const encoding of ['base64', 'quoted-printable', '7bit', 'gzip']) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n`
    const body = `${head}Content-Transfer-Encoding: ${encoding}\r\n\r\n${content}\r\n--${boundary}--\r\n`
    const answer = await client.ask('POST', '/qas/uploadCsv', Buffer.from(body))
    assert.equal(answer.status, 200, answer.body.toString())
    assert.equal((await client.get(jsonOf<UploadResponse>(answer).links.original)).toString(), content)
  }
})

const shapes: Readonly<Record<string, Buffer>> = {
  'a million columns': filled('a,', 2_000_000),
  'an endless line': filled('x', 2_000_000),
  'a quote that is never closed': Buffer.concat([Buffer.from('a,b\n1,"'), filled('x\n', 2_000_000)]),
  'only quotes': filled('"', 2_000_000),
  'only line ends': filled('\n', 2_000_000),
  'only carriage returns': filled('\r', 2_000_000),
  delimiters: filled(',;\t|', 2_000_000),
  'rows of every width': Buffer.from(Array.from({ length: 2_000 }, (_, i) => `${'x,'.repeat(i % 300)}y`).join('\n')),
  'NULs behind a header': Buffer.concat([Buffer.from('a,b\n1,2\n'), Buffer.alloc(2_000_000)]),
  'bytes of no encoding': Buffer.concat([Buffer.from('a,b\n'), filled('\xff\xfe\xc0\x80\n', 2_000_000)]),
}

for (const [what, content] of Object.entries(shapes)) {
  test(`files of hostile shape get a response: ${what}`, async () => {
    const answer = await client.send({ content })
    if (answer.status === 200) {
      const { records } = jsonOf<UploadResponse>(answer)
      const { header, blank, skipped, accepted, rejected } = records
      assert.equal(header + blank + skipped + accepted + rejected, records.total)
    } else {
      assert.equal(answer.status, 422, answer.body.toString())
      refusalOf(answer)
    }
  })
}

// Tests of the same parts: the bytes of a file alone decide where its parts and row groups end, however they arrive.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { bodyOf, Client, contentType, type UploadResponse } from '../support/client.ts'
import { create, patch } from '../support/resumable.ts'
import { createRandom, seed } from '../support/samples.ts'
import { mediumSegments, sharedService } from '../support/shared-service.ts'

const service = await sharedService(mediumSegments)
const client = new Client(service.url)

/** The type of `n` changes at the end, and a part of the records is rewritten or rejected. */
function fileOf(random: (below: number) => number, oddOneIn: number): Buffer {
  const records = 90_000
  const lines = Array.from({ length: records }, (_, i) => {
    const n = i === records - 100 ? 'none' : i
    if (random(oddOneIn) > 0)
      return `${n},${random(3) === 0 ? `"a\nb ""${random(9)}"""` : `text ${random(2 ** 30)}`},x\n`
    return [`${n},"a"  ,x\n`, 'bad\n', `${n},5" nail,x\n`, '\n'][random(4)]!
  })
  return Buffer.from(`n,text,few\n${lines.join('')}`)
}

type Parts = Pick<UploadResponse, 'parts' | 'rejects'>

/** What is compared; the dataset is deleted, so that the same bytes are read anew. */
async function partsOf({ id, parts, rejects }: UploadResponse): Promise<Parts> {
  assert.equal((await client.ask('DELETE', `/qas/datasets/${id}`)).status, 204)
  return { parts, rejects }
}

async function inPieces(content: Buffer, next: () => number): Promise<UploadResponse> {
  const body = bodyOf({ content })
  const headers = { 'content-type': contentType, 'content-length': body.length }
  const outgoing = request(new URL('/qas/uploadCsv', service.url), { method: 'POST', headers })
  const answered = once(outgoing, 'response')
  for (let from = 0; from < body.length; ) {
    const to = from + next()
    if (!outgoing.write(body.subarray(from, to))) await once(outgoing, 'drain')
    await setImmediate()
    from = to
  }
  outgoing.end()
  const [incoming] = (await answered) as [IncomingMessage]
  return JSON.parse(Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>)).toString())
}

async function inPatches(content: Buffer, next: () => number): Promise<UploadResponse> {
  const path = await create(client, content.length)
  for (let from = 0; ; ) {
    const to = Math.min(content.length, from + next())
    const { status, headers, body } = await patch(client, path, from, content.subarray(from, to))
    assert.equal(status, 204, body.toString())
    if (to === content.length) return JSON.parse((await client.get(headers['content-location']!)).toString())
    from = to
  }
}

async function readAgain(content: Buffer): Promise<UploadResponse> {
  const first = await client.upload(content)
  const answer = await client.askJson(first.links.readings, Buffer.from('{"dialect":{"delimiter":","}}'))
  assert.equal(answer.status, 200, answer.body.toString())
  assert.equal((await client.ask('DELETE', first.links.self)).status, 204)
  return JSON.parse(answer.body.toString())
}

for (const [what, oddOneIn] of [
  ['few', 20_000],
  ['many', 30],
] as const) {
  test(`a file with ${what} odd records has the same parts, whatever pieces it arrives in`, async (t) => {
    t.diagnostic(`SEED=${seed}`)
    const random = createRandom(seed)
    const content = fileOf(random, oddOneIn)
    const wanted = await partsOf(await client.upload(content))
    assert.ok(wanted.parts.length > 1)
    const ways: Readonly<Record<string, () => Promise<UploadResponse>>> = {
      'small pieces': () => inPieces(content, () => 1 + random(4_000)),
      'large pieces': () => inPieces(content, () => 1 + random(300_000)),
      'tus in odd pieces': () => inPatches(content, () => 100_000 + random(400_000)),
      gzip: () => client.upload(gzipSync(content)),
      'a reading of the stored original': () => readAgain(content),
    }
    for (const [way, send] of Object.entries(ways)) {
      assert.deepEqual(await partsOf(await send()), wanted, `${way}, SEED=${seed}`)
    }
  })
}

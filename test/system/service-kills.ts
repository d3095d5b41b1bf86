// Kills: kills a service repeatedly during uploads, and checks it after each start.
import assert from 'node:assert/strict'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { bodyOf, Client, contentType, jsonOf, type UploadResponse } from '../support/client.ts'
import { begin } from '../support/resumable.ts'
import { isAlive, RunningService } from '../support/running-service.ts'
import { createRandom, csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'

/** Segments small enough that the sample has several. */
export const flags = ['--segment-size', '256KB']

const content = csvText('id,name,amount', 40_000, (i) => `${i},name ${i} and some more,${i}.50`)
/** An upload large enough for a kill during it. */
export const body = bodyOf({ content })
const gzipBody = bodyOf({ content: gzipSync(content), fileName: 'sample.csv.gz' })
const zstdBody = bodyOf({ content: zstdCompressSync(content), fileName: 'sample.csv.zst' })
const nothing = Buffer.alloc(0)
/** Number of datasets of earlier rounds that are read again after each start. */
const readAgainMax = 5

/** Kills a service in each round, and checks its datasets after each start. */
export async function surviveKills(
  dataDir: string,
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
): Promise<void> {
  const random = createRandom(seed)
  const answered: string[] = []
  for (let round = 0; round <= rounds; round++) {
    await using service = await RunningService.start(dataDir, flags)
    const client = new Client(service.url)
    // Alternates between plain and compressed, and between the compressions.
    const compressedBody = round % 8 < 4 ? gzipBody : zstdBody
    const [sent, other] = round % 4 < 2 ? [compressedBody, body] : [body, compressedBody]
    await holds(service, client, answered, other)
    const small = `id,round\n1,${round}\n`
    answered.push(
      (await client.upload(round % 2 === 0 ? small : round % 4 === 1 ? gzipSync(small) : zstdCompressSync(small))).id,
    )
    // Every second round sends all bytes, so that the kill comes while the last of them are converted.
    const bytes = round % 2 === 1 ? sent.length : random(sent.length)
    const headers = { 'content-type': contentType, 'content-length': sent.length }
    const sending = await begin(service.url, 'POST', '/qas/uploadCsv', headers, nothing)
    await new Promise<void>((resolve) => sending.write(sent.subarray(0, bytes), () => resolve()))
    const turns = random(300)
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
    const children = service.children()
    assert.ok(children.length > 0)
    await service[Symbol.asyncDispose]()
    sending.destroy()
    await until('the children of the dead service have ended', () => !children.some(isAlive))
  }
}

/** Asserts that acknowledged datasets are complete, nothing else is left, and an upload works. */
async function holds(
  service: RunningService,
  client: Client,
  answered: readonly string[],
  next: Uint8Array,
): Promise<void> {
  assert.deepEqual(service.drafts(), [])
  const shown = await client.datasetIds()
  assert.deepEqual(service.datasetDirs().toSorted(), shown.toSorted(), 'no dataset is incomplete')
  for (const id of answered) assert.ok(shown.includes(id), `${id} was acknowledged but is lost`)
  const unanswered = shown.filter((id) => !answered.includes(id))
  for (const id of [...answered.slice(-readAgainMax), ...unanswered]) await isWhole(client, id)
  const answer = await client.ask('POST', '/qas/uploadCsv', next)
  assert.equal(answer.status, 200, answer.body.toString())
  const receipt = jsonOf<UploadResponse>(answer)
  assert.equal(receipt.records.accepted, 40_000)
  await client.ask('DELETE', receipt.links.self)
}

/** Asserts that everything stored can be read to its end. */
export async function isWhole(client: Client, id: string): Promise<void> {
  const receipt = jsonOf<UploadResponse>(await client.ask('GET', `/qas/datasets/${id}`))
  assert.equal((await client.get(receipt.links.original)).length, receipt.file.bytes)
  assert.equal((await client.allRows(receipt)).length, receipt.records.accepted)
  assert.match((await client.get(receipt.links.parquet)).toString('latin1', 0, 4), /^PAR1/)
}

// Tests of Prefer: respond-async under kill -9 and SIGTERM: uploads with a 202 become datasets, others leave nothing.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadStatusJson } from '../../src/http/exchange/upload-json.ts'
import { bodyOf, Client, contentType, jsonOf } from '../support/client.ts'
import { begin, textOf } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { until } from '../support/until.ts'

type Status = ReturnType<typeof uploadStatusJson>

const later = { prefer: 'respond-async' } as const
const unfinished = ({ dataDir }: RunningService) => readdirSync(join(dataDir, 'uploads'))

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`${signal} right after a 202: the next start makes the dataset, from a form and from a file`, async () => {
    await using scratch = await scratchDir()
    const start = () => RunningService.start(join(scratch.path, 'data'))
    let service = await start()
    const contents = [0, 1].map((n) => Buffer.from(csvText('id,name,value', 200_000, (i) => `${i},name ${i},${i + n}`)))
    const client = new Client(service.url)
    const raw = { 'content-type': 'text/csv', 'content-disposition': 'inline; filename="raw.csv"', ...later }
    const answers = await Promise.all([
      client.ask('POST', '/qas/uploadCsv', bodyOf({ content: contents[0]! }), { 'idempotency-key': 'k', ...later }),
      client.ask('POST', '/qas/uploads', contents[1]!, raw),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202],
    )
    service.kill(signal)
    assert.equal(await service.ended, signal === 'SIGTERM' ? 0 : null)
    service = await start()
    try {
      const again = new Client(service.url)
      await until('all have been read', () => unfinished(service).length === 0)
      assert.equal((await again.datasetIds()).length, 2)
      for (const content of contents) {
        const { duplicate, links } = await again.upload(content)
        assert.ok(duplicate)
        assert.ok((await again.get(`${links.original}`)).equals(content))
      }
      const replayed = await again.ask('POST', '/qas/uploadCsv', bodyOf({ content: contents[0]! }), {
        'idempotency-key': 'k',
      })
      assert.equal(replayed.headers['idempotent-replayed'], 'true')
      for (const [i, { headers }] of answers.entries()) {
        const { phase, fileName, links } = jsonOf<Status>(await again.ask('GET', headers.location!))
        assert.deepEqual([phase, fileName], ['done', ['sample.csv', 'raw.csv'][i]])
        assert.ok((await again.get(`${links.receipt}/original`)).equals(contents[i]!))
      }
      const first = answers[0]!.headers.location?.split('/').at(-1)
      assert.equal(jsonOf<{ upload: { id: string } }>(replayed).upload.id, first)
      assert.deepEqual(service.drafts(), [])
    } finally {
      await service[Symbol.asyncDispose]()
    }
  })
}

test(`kill -9 at any moment: 202 means a dataset, no response means a dataset or nothing (SEED=${seed})`, async (t) => {
  const random = createRandom(seed)
  await using scratch = await scratchDir()
  const start = () => RunningService.start(join(scratch.path, 'data'))
  let service = await start()
  let answeredCount = 0
  const rounds = 8
  try {
    for (let round = 0; round < rounds; round += 1) {
      const content = Buffer.from(csvText('id,name', 60_000, (i) => `${i},name ${i} of ${round}`))
      const form = bodyOf({ content })
      const before = (await new Client(service.url).datasetIds()).length
      const headers = { 'content-type': contentType, 'content-length': form.length, ...later }
      const socket = await begin(service.url, 'POST', '/qas/uploadCsv', headers, form)
      const text = textOf(socket, '\r\n\r\n').catch(() => '')
      // In half of the rounds, waits for the response first.
      if (round % 2 === 0) await text
      await sleep(random(40))
      await service[Symbol.asyncDispose]()
      const isAnswered = (await text).startsWith('HTTP/1.1 202')
      const [, path = ''] = /\r\nlocation: (\S+)/i.exec(await text) ?? []
      socket.destroy()
      service = await start()
      await until('nothing is unfinished', () => unfinished(service).length === 0)
      const client = new Client(service.url)
      const made = (await client.datasetIds()).length - before
      if (isAnswered) {
        assert.equal(made, 1, `round ${round} returned 202`)
        assert.equal(jsonOf<Status>(await client.ask('GET', path)).phase, 'done')
      } else assert.ok(made === 0 || made === 1)
      const { duplicate } = await client.upload(content)
      assert.equal(duplicate, made === 1)
      answeredCount += Number(isAnswered)
      assert.deepEqual(service.drafts(), [])
    }
    t.diagnostic(`${answeredCount} of ${rounds} were answered before the kill`)
    assert.ok(answeredCount >= rounds / 2)
  } finally {
    await service[Symbol.asyncDispose]()
  }
})

// Known datasets: what clients of a killed service know of its datasets, and whether the next process agrees, on disk
// and over HTTP. Sends nothing that changes one.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { storedFiles } from '../src/core/stored-files.ts'
import { forEachLimit } from '../src/io/for-each-limit.ts'
import { readReceipt } from '../src/store/fs/fs-draft.ts'
import { type Client, jsonOf, type UploadResponse } from '../test/support/client.ts'
import { tus } from '../test/support/resumable.ts'
import type { RunningService } from '../test/support/running-service.ts'
import { until } from '../test/support/until.ts'

/** `unsure` while a request about it has no response. */
export type State = 'there' | 'gone' | 'unsure'

/** Bytes that are sent, under one name, and the datasets with these bytes. */
export interface Content {
  readonly number: number
  readonly bytes: Buffer
  readonly sha256: string
  readonly fileName: string
  readonly schema: object | undefined
  /** Numbers of records that lack a field. */
  readonly rejects: readonly number[]
  readonly states: Map<string, State>
  /** One request at a time. */
  isBusy: boolean
  /** The dataset of an upload of these bytes, among others of readings and corrections. */
  id: string | null
  wasDeleted: boolean
}

/** A resumable upload without an end. */
export interface Unfinished {
  readonly path: string
  readonly content: Content
  /** Bytes that the service has said to be durable. */
  acknowledged: number
  /** True once its last byte has been sent. */
  mayBeWhole: boolean
  isCancelled: boolean
  isBusy: boolean
}

const atOnceMax = 32

export class KnownDatasets {
  readonly contents: Content[] = []
  readonly byId = new Map<string, Content>()
  readonly unfinished = new Set<Unfinished>()
  /** What was sent completely, without a response: it may have made a dataset whose id is unknown. */
  readonly mayExist = new Set<Content>()
  /** Requests for a resumable upload that got no response: each may have begun one. */
  unknownUploads = 0
  /** Their uploads are over, so they have a dataset, whose id is unknown. */
  readonly #expected = new Set<Content>()
  /** Datasets about which something has changed since they were last verified. */
  readonly #changed = new Set<string>()
  readonly #counts: Record<State, number> = { there: 0, gone: 0, unsure: 0 }

  set(content: Content, id: string, state: State): void {
    const before = content.states.get(id)
    if (before !== undefined) this.#counts[before] -= 1
    this.#counts[state] += 1
    content.states.set(id, state)
    this.byId.set(id, content)
    if (state === 'gone') content.wasDeleted = true
    this.#changed.add(id)
  }

  count(state: State): number {
    return this.#counts[state]
  }

  /** Compares what is known with what the service has now, which serves nobody else; learns what was unknown. */
  async settle(service: RunningService, client: Client, verifies: (id: string) => boolean): Promise<void> {
    for (const upload of this.unfinished) await this.#settleUpload(client, upload)
    const found = new Set(service.datasetDirs())
    for (const [id, content] of this.byId) {
      const state = content.states.get(id)
      assert.ok(state !== 'there' || found.has(id), `${id} was acknowledged but is lost`)
      assert.ok(state !== 'gone' || !found.has(id), `${id} was deleted but is back`)
      if (state === 'unsure') this.set(content, id, found.has(id) ? 'there' : 'gone')
    }
    for (const id of found) if (!this.byId.has(id)) await this.#learn(service, id)
    this.mayExist.clear()
    await this.#nothingElse(service, client)
    const listed = await allIds(client)
    assert.equal(listed.length, new Set(listed).size, 'a dataset is listed twice')
    assert.deepEqual(listed.toSorted(), [...found].toSorted(), 'the list is the directory')
    const isChanged = (id: string) => this.#changed.has(id)
    await forEachLimit(
      [...found].filter((id) => isChanged(id) || verifies(id)),
      atOnceMax,
      async (id) => {
        await isStored(service.dataDir, id, this.byId.get(id)!)
        if (isChanged(id)) await isServed(client, id, this.byId.get(id)!)
      },
    )
    this.#changed.clear()
  }

  /** Waits for the dataset of an upload that has all its bytes. */
  async #settleUpload(client: Client, upload: Unfinished): Promise<void> {
    const { path, content } = upload
    for (;;) {
      const { status, headers } = await client.ask('HEAD', path, undefined, tus)
      const offset = Number(headers['upload-offset'])
      if (status === 404) {
        // Its status is durable only after a while: it is done, or it was cancelled.
        assert.ok(upload.isCancelled || upload.mayBeWhole, `${path} is lost at ${upload.acknowledged} bytes`)
        if (!upload.isCancelled) this.#expected.add(content)
        this.#forget(upload)
        return
      }
      assert.equal(status, 200, `HEAD ${path}`)
      assert.ok(offset >= upload.acknowledged, `${path} is at ${offset}, and ${upload.acknowledged} were acknowledged`)
      upload.acknowledged = offset
      upload.isCancelled = false
      upload.mayBeWhole = offset === content.bytes.length
      if (!upload.mayBeWhole) return
      const id = headers['content-location']?.split('/').at(-1)
      if (id !== undefined) {
        this.uploaded(content, id)
        this.#forget(upload)
        return
      }
      await sleep(20)
    }
  }

  #forget(upload: Unfinished): void {
    this.unfinished.delete(upload)
    upload.content.isBusy = false
  }

  uploaded(content: Content, id: string): void {
    content.id = id
    this.set(content, id, 'there')
  }

  async #learn(service: RunningService, id: string): Promise<void> {
    const hash = sha256(await readFile(join(service.dataDir, 'datasets', id, 'original')))
    const content = [...this.mayExist, ...this.#expected].find((one) => one.sha256 === hash)
    assert.ok(content, `${id} is there, but none of its bytes were sent completely`)
    const isUpload = this.#expected.delete(content)
    if (isUpload) this.uploaded(content, id)
    else this.set(content, id, 'there')
  }

  /** Asserts that the data directory has nothing but datasets and unfinished uploads. */
  async #nothingElse(service: RunningService, client: Client): Promise<void> {
    assert.deepEqual(
      [...this.#expected].map(({ number }) => number),
      [],
      'an upload is over but has no dataset',
    )
    await until('no draft is left', () => service.drafts().length === 0)
    for (const name of ['replacing', 'damaged']) {
      assert.deepEqual(await readdir(join(service.dataDir, name)).catch(() => []), [], name)
    }
    const known = new Set(this.unfinished.values().map(({ path }) => path.split('/').at(-1)!))
    const others = (await readdir(join(service.dataDir, 'uploads'))).filter((name) => !known.has(name))
    assert.ok(others.length <= this.unknownUploads, `${others} are left in uploads`)
    for (const id of others) await client.ask('DELETE', `/qas/uploads/${id}`, undefined, tus)
    this.unknownUploads = 0
  }
}

export async function allIds(client: Client): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page = await client.get(`/qas/datasets?limit=1000${after && `&after=${after}`}`)
    const list = JSON.parse(page.toString()) as { datasets: { id: string }[]; after: string | null }
    ids.push(...list.datasets.map(({ id }) => id))
    after = list.after
  }
  return ids
}

/** Asserts that the directory of a dataset has the files of its receipt, bit for bit, and no others. */
export async function isStored(dataDir: string, id: string, content?: Pick<Content, 'sha256'>): Promise<void> {
  const dir = join(dataDir, 'datasets', id)
  const receipt = await readReceipt(dir, id)
  if (content !== undefined) assert.equal(receipt.file.sha256, content.sha256, `${id} has other bytes`)
  const files = storedFiles(receipt)
  for (const { file, sha256: hash } of files)
    assert.equal(sha256(await readFile(join(dir, file))), hash, `${id} ${file}`)
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const found = entries.filter((one) => one.isFile()).map((one) => relative(dir, join(one.parentPath, one.name)))
  const own = found.filter((path) => !/^(uploads|derived)\//.test(path))
  assert.deepEqual(own.toSorted(), [...files.map(({ file }) => file), 'receipt.json'].toSorted(), id)
}

async function isServed(client: Client, id: string, { bytes }: Content): Promise<void> {
  const { links, records } = jsonOf<UploadResponse>(await client.ask('GET', `/qas/datasets/${id}`))
  assert.ok((await client.get(links.original)).equals(bytes), `${id} is served with other bytes`)
  const { total } = JSON.parse((await client.get(`${links.rows}?limit=1`)).toString()) as { total: number }
  assert.equal(total, records.accepted, id)
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

// Killed clients: clients that upload, resume, delete, read, correct and copy until their service is killed.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Answer, bodyOf, Client, contentType, jsonOf } from '../test/support/client.ts'
import { begin, create, patch, tus, tusBytes } from '../test/support/resumable.ts'
import { type Content, type KnownDatasets, type State, sha256, type Unfinished } from './known-datasets.ts'

const schema = {
  fields: [
    { name: 'number', type: 'integer' },
    { name: 'row', type: 'integer' },
    { name: 'name', type: 'string' },
  ],
}

/** A response that is expected while converters are killed. */
const isLostConverter = ({ body }: Answer) => body.includes('ConversionException')

export interface Did {
  [what: string]: number
}

export class KilledClients {
  /** Keys by content: the response to a repeated request must be the first one. */
  readonly keys = new Map<string, { readonly content: Content; readonly id: string }>()
  readonly #known: KnownDatasets
  readonly #random: (below: number) => number
  readonly #did: Did
  readonly #datasetsWanted: number
  #client!: Client
  #url = ''
  #isOver = true

  constructor(known: KnownDatasets, random: (below: number) => number, did: Did, datasetsWanted: number) {
    this.#known = known
    this.#random = random
    this.#did = did
    this.#datasetsWanted = datasetsWanted
  }

  /** Runs clients until `end` is called; what has no response then is unsure. */
  async run(url: string, count: number): Promise<void> {
    this.#url = url
    this.#client = new Client(url)
    this.#isOver = false
    await Promise.all(
      Array.from({ length: count }, async () => {
        while (!this.#isOver) await this.#one()
      }),
    )
    for (const one of this.#known.contents) one.isBusy = false
    for (const one of this.#known.unfinished) {
      one.isBusy = false
      one.content.isBusy = true
    }
  }

  end(): void {
    this.#isOver = true
  }

  get acknowledged(): number {
    return Object.values(this.#did).reduce((sum, one) => sum + one, 0)
  }

  async #one(): Promise<void> {
    const isFull = this.#known.byId.size - this.#known.count('gone') >= this.#datasetsWanted
    const kinds = [...(isFull ? [] : ['form', 'form', 'form', 'form']), 'form', 'chunked', 'cut', 'tus', 'tus', 'tus']
    const others = ['delete', 'delete', 'delete', ...(isFull ? ['delete', 'delete', 'delete'] : [])]
    const kind = this.#pick([...kinds, ...others, 'again', 'reading', 'correction', 'get', 'cancel'])!
    if (kind === 'tus') await this.#resume()
    else if (kind === 'cancel') await this.#cancel()
    else if (kind === 'delete') await this.#delete()
    else if (kind === 'get') await this.#get()
    else if (kind === 'reading' || kind === 'correction') await this.#derive(kind)
    else if (kind === 'cut') await this.#cut()
    else await this.#upload(kind)
  }

  /** New bytes, or ones that were sent before. */
  #content(kind: string): Content | undefined {
    const { contents } = this.#known
    const random = this.#random
    if (kind === 'again') return this.#idle((one) => one.id !== null)
    const number = contents.length + 1
    const records = random(40) === 0 ? 30_000 : random(10) === 0 ? 2_000 : 1 + random(20)
    const rejects: number[] = []
    let text = 'number,row,name\n'
    for (let row = 0; row < records; row += 1) {
      const isWrong = number % 4 === 0 && row % 5 === 1
      if (isWrong && rejects.length < 50) rejects.push(row + 2)
      text += isWrong ? `${number},${row}\n` : `${number},${row},name ${row}\n`
    }
    const isPacked = kind !== 'tus' && random(10) === 0
    const bytes = isPacked ? gzipSync(text) : Buffer.from(text)
    const content: Content = {
      number,
      bytes,
      sha256: sha256(bytes),
      fileName: `n${number % 50}.csv${isPacked ? '.gz' : ''}`,
      schema: kind !== 'tus' && random(8) === 0 ? schema : undefined,
      rejects,
      states: new Map(),
      isBusy: false,
      id: null,
      wasDeleted: false,
    }
    contents.push(content)
    return content
  }

  #idle(is: (one: Content) => boolean): Content | undefined {
    const { contents } = this.#known
    for (let tries = 0; tries < 20 && contents.length > 0; tries += 1) {
      const one = contents[this.#random(contents.length)]!
      if (!one.isBusy && is(one)) return one
    }
    return undefined
  }

  async #upload(kind: string): Promise<void> {
    const content = this.#content(kind)
    if (content === undefined) return
    const body = bodyOf({
      content: content.bytes,
      fileName: content.fileName,
      ...(content.schema && { schema: content.schema }),
    })
    const key = `"k${content.number}"`
    const hasKey = kind === 'form' && content.number % 5 === 0
    const answer = await this.#creates(content, () =>
      kind === 'chunked'
        ? this.#client.askInChunks('/qas/uploadCsv', body)
        : this.#client.ask('POST', '/qas/uploadCsv', body, hasKey ? { 'idempotency-key': key } : {}),
    )
    if (answer?.status !== 200) return
    content.id = jsonOf<{ id: string }>(answer).id
    if (hasKey) this.keys.set(key, { content, id: content.id })
    this.#count(kind === 'again' ? 'bytes sent again' : `uploads by ${kind === 'chunked' ? 'chunked form' : 'form'}`)
  }

  /** A form that ends early: it leaves nothing. */
  async #cut(): Promise<void> {
    const content = this.#content('form')!
    const body = bodyOf({ content: content.bytes })
    const headers = { 'content-type': contentType, 'content-length': body.length }
    const part = body.subarray(0, this.#random(body.length - 100))
    await this.#attempt(async () => {
      const socket = await begin(this.#url, 'POST', '/qas/uploadCsv', headers, part)
      await sleep(this.#random(20))
      socket.destroy()
      this.#count('uploads cut')
      return null
    })
  }

  async #delete(): Promise<void> {
    const content = this.#idle((one) => one.states.values().some((state) => state === 'there'))
    if (content === undefined) return
    const id = this.#pick([...content.states].filter(([, state]) => state === 'there'))![0]
    content.isBusy = true
    this.#known.set(content, id, 'unsure')
    const answer = await this.#attempt(() => this.#client.ask('DELETE', `/qas/datasets/${id}`))
    if (answer === null) return
    assert.equal(answer.status, 204, `DELETE ${id}: ${answer.body}`)
    this.#known.set(content, id, 'gone')
    this.#count('deletions')
    content.isBusy = false
  }

  async #get(): Promise<void> {
    const content = this.#idle((one) => one.id !== null && one.states.get(one.id) === 'there')
    if (content === undefined) return
    content.isBusy = true
    const answer = await this.#attempt(() => this.#client.ask('GET', `/qas/datasets/${content.id}/original`))
    if (answer !== null) assert.ok(answer.body.equals(content.bytes), `${content.id}: ${answer.status}`)
    content.isBusy = false
  }

  /** Another dataset of the same bytes. */
  async #derive(kind: 'reading' | 'correction'): Promise<void> {
    const isBase = ({ id, states, rejects, schema: declared }: Content) =>
      id !== null && states.get(id) === 'there' && (kind === 'reading' || (rejects.length > 0 && !declared))
    const content = this.#idle(isBase)
    if (content === undefined) return
    const record = this.#pick(content.rejects)
    const correction = `{"record":${record},"text":"${content.number},${record},corrected ${this.#random(100)}"}\n`
    const body = Buffer.from(kind === 'reading' ? '{"dialect":{"header":true}}' : correction)
    const type = kind === 'reading' ? 'application/json' : 'application/x-ndjson'
    const path = `/qas/datasets/${content.id}/${kind}s`
    const answer = await this.#creates(content, () => this.#client.ask('POST', path, body, { 'content-type': type }))
    if (answer?.status === 200) this.#count(`${kind}s`)
  }

  /** Some requests of a resumable upload; a later round may continue it. */
  async #resume(): Promise<void> {
    const { unfinished } = this.#known
    const idle = [...unfinished].filter((one) => !one.isBusy && !one.isCancelled && !one.mayBeWhole)
    const upload =
      idle.length > 20 || (idle.length > 0 && this.#random(2) === 0) ? this.#pick(idle)! : await this.#create()
    if (upload === null) return
    upload.isBusy = true
    const { content, path } = upload
    while (!this.#isOver && this.#random(4) > 0) {
      const from: number = upload.acknowledged
      const to = this.#random(3) === 0 ? content.bytes.length : from + this.#random(content.bytes.length - from + 1)
      const part = content.bytes.subarray(from, to)
      upload.mayBeWhole = to === content.bytes.length
      const isCut = this.#random(4) === 0
      const answer: Answer | null = await this.#attempt(
        (): Promise<Answer> => (isCut ? this.#cutPatch(upload, part) : patch(this.#client, path, from, part)),
      )
      if (answer === null) return
      if (isCut ? answer.status !== 200 : answer.status !== 204)
        assert.fail(`${path} at ${from}: ${answer.status} ${answer.body}`)
      const offset: number = Number(answer.headers['upload-offset'])
      assert.ok(offset >= from, `${path} is at ${offset}, and ${from} were acknowledged`)
      if (!isCut) assert.equal(offset, to)
      upload.acknowledged = offset
      upload.mayBeWhole = offset === content.bytes.length
      if (!upload.mayBeWhole) continue
      // After a cut, the next start tells its dataset.
      const id = answer.headers['content-location']?.split('/').at(-1)
      if (id === undefined) return
      this.#known.uploaded(content, id)
      unfinished.delete(upload)
      content.isBusy = false
      this.#count('resumable uploads')
      return
    }
    upload.isBusy = false
  }

  async #create(): Promise<Unfinished | null> {
    const content = this.#content('tus')!
    content.isBusy = true
    this.#known.unknownUploads += 1
    const path = await this.#attempt(() => create(this.#client, content.bytes.length, { filename: content.fileName }))
    if (path === null) return null
    this.#known.unknownUploads -= 1
    const upload = { path, content, acknowledged: 0, mayBeWhole: false, isCancelled: false, isBusy: true }
    this.#known.unfinished.add(upload)
    return upload
  }

  /** The connection breaks; then the client asks for the offset. */
  async #cutPatch({ path, acknowledged, content }: Unfinished, part: Uint8Array): Promise<Answer> {
    const headers = { ...tusBytes, 'upload-offset': acknowledged, 'content-length': part.length }
    const sent = part.subarray(0, part.length - this.#random(Math.min(part.length, content.bytes.length) + 1))
    const socket = await begin(this.#url, 'PATCH', path, headers, sent)
    await sleep(this.#random(10))
    socket.destroy()
    this.#count('resumable uploads cut')
    return await this.#client.ask('HEAD', path, undefined, tus)
  }

  async #cancel(): Promise<void> {
    const upload = this.#pick([...this.#known.unfinished].filter((one) => !one.isBusy && !one.mayBeWhole))
    if (upload === undefined || this.#random(3) > 0) return
    upload.isBusy = true
    upload.isCancelled = true
    const answer = await this.#attempt(() => this.#client.ask('DELETE', upload.path, undefined, tus))
    if (answer === null) return
    assert.equal(answer.status, 204, answer.body.toString())
    this.#known.unfinished.delete(upload)
    this.#count('resumable uploads cancelled')
  }

  /** A request that makes a dataset of the content. Without a response, one that was deleted may be back. */
  async #creates(content: Content, request: () => Promise<Answer>): Promise<Answer | null> {
    const { states } = content
    content.isBusy = true
    const gone = [...states].filter(([, state]) => state === 'gone')
    const all = (state: State) => {
      for (const [id] of gone) this.#known.set(content, id, state)
    }
    all('unsure')
    this.#known.mayExist.add(content)
    const answer = await this.#attempt(request)
    if (answer === null) return null
    this.#known.mayExist.delete(content)
    all('gone')
    if (answer.status === 200) this.#known.set(content, jsonOf<{ id: string }>(answer).id, 'there')
    else assert.ok(isLostConverter(answer), `${answer.status} ${answer.body}`)
    if (answer.status !== 200) this.#count('requests that lost two converters')
    content.isBusy = false
    return answer
  }

  /** Null if the service was killed meanwhile. */
  async #attempt<Result>(request: () => Promise<Result>): Promise<Result | null> {
    try {
      return await request()
    } catch (error) {
      if (!this.#isOver || error instanceof assert.AssertionError) throw error
      return null
    }
  }

  #pick<One>(list: readonly One[]): One | undefined {
    return list[this.#random(list.length || 1)]
  }

  #count(what: string): void {
    this.#did[what] = (this.#did[what] ?? 0) + 1
  }
}

// Stepped bucket: stores of several replicas over one bucket in this process, each of whose calls is a step of an
// interleaving, before it is carried out and before its response is seen; and can be lost, or the last one of a replica.
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { createS3Store } from '../../src/store/s3/s3-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Command, FakeBucket, refusal } from './fake-bucket.ts'
import { turn } from './interleave.ts'

/** What happens to a call: its response is lost, however often it is sent; or it is never carried out. */
export type Fate = 'carried' | 'lost' | 'refused'

type Handler = (args: { readonly input: object }) => Promise<{ readonly output: object }>

export class SteppedBucket implements AsyncDisposable {
  /** How far the clocks of the bucket and of the replicas are ahead, milliseconds: below zero, what is written is old. */
  aheadMs = 0
  readonly bucket = new FakeBucket()
  /** Decides on each call that is a step. */
  fate: (call: string, key: string) => Fate = () => 'carried'
  readonly #dir: string
  readonly #stores: Store[] = []
  readonly #restore: () => void
  #laterMs = 0

  /** @param dir For the local files of the replicas. All clients of S3 in this process use the bucket until it is disposed. */
  constructor(dir: string) {
    this.#dir = dir
    const { bucket } = this
    const carry = async (command: Command) => {
      const [call, key] = [command.constructor.name.replace('Command', ''), keyOf(command)]
      await turn(`${call} ${key}`)
      const fate = this.fate(call, key)
      if (fate === 'refused') throw refusal('ServiceUnavailable', 503)
      const output = bucket.send(command)
      await turn(`response to ${call}`)
      if (fate === 'lost') throw refusal('ServiceUnavailable', 503)
      return { response: { headers: { date: new Date(Date.now()).toUTCString() } }, output }
    }
    // A method: the client whose call it is decides what watches its responses.
    async function send(this: S3Client, command: Command) {
      return (await watched(this, () => carry(command))({ input: command.input })).output
    }
    Object.assign(S3Client.prototype, { send })
    const [clock, { now }] = [Date.now, performance]
    Date.now = () => clock() + this.aheadMs
    performance.now = () => now.call(performance) + this.#laterMs
    this.#restore = () => {
      Date.now = clock
      Reflect.deleteProperty(performance, 'now')
      Reflect.deleteProperty(S3Client.prototype, 'send')
    }
  }

  get objects(): S3Objects {
    return new S3Objects(options)
  }

  /** Opens a store in a directory, by default a new one; the last one there must be closed first. */
  async open(name = `${this.#stores.length}`): Promise<Store> {
    const local = { dir: join(this.#dir, name), cacheBytesMax: 1_000_000 }
    const store = await createS3Store({ ...options, ...local })
    this.#stores.push(store)
    return store
  }

  /** As if minutes had passed: every replica knows what all have done. */
  async catchUp(): Promise<void> {
    this.#laterMs += 600_000
    for (const store of this.#stores) await store.catchUp()
  }

  /** A file of the present publish of a dataset loses bytes. */
  damage(id: string, file: string): void {
    const [attempt] = this.bucket.objects.get(`datasets/${id}/receipt.json`)!.body.toString().split('\n')
    this.bucket.set(`files/${attempt}/${file}`, Buffer.from('x'))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.fate = () => 'carried'
    for (const store of this.#stores) await store.close().catch(() => {})
    this.#restore()
  }
}

const options = { bucket: 'fake', prefix: '', endpoint: 'http://fake.invalid', pathStyle: true, region: null }

/** The key of a command, its first one, or the prefix. */
function keyOf({ input }: Command): string {
  const { Key, Prefix, Delete } = input as {
    readonly Key?: string
    readonly Prefix?: string
    readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] }
  }
  return Key ?? Prefix ?? Delete?.Objects[0]?.Key ?? ''
}

/** A handler, with what the service has added to a client to watch its responses; the SDK's own steps have names. */
function watched(client: S3Client, handler: Handler): Handler {
  const added: ((next: Handler, context: object) => Handler)[] = []
  const collect = {
    add: (middleware: (typeof added)[number], { name }: { readonly name?: string }) => {
      if (name === undefined) added.push(middleware)
    },
    addRelativeTo: () => {},
  }
  client.middlewareStack.applyToStack(collect as never)
  return added.reduce((next, middleware) => middleware(next, {}), handler)
}

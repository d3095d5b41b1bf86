// Replica service: what clients and the service itself do with datasets, with the classes of the service over a store in
// a world's bucket, and what each of them saw.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError } from '../../src/core/errors.ts'
import type { Receipt, Upload } from '../../src/core/receipt.ts'
import { storedFiles } from '../../src/core/stored-files.ts'
import type { PartReader } from '../../src/engine/part-reader.ts'
import { Profiles } from '../../src/service/dataset/profiles.ts'
import { removeOwn } from '../../src/service/dataset/remove-dataset.ts'
import { startRetention } from '../../src/service/retention.ts'
import { scrubDataset } from '../../src/service/scrub/scheduled-scrub.ts'
import { arrive } from '../../src/service/upload/arrival.ts'
import { type FinishedDraft, finishedDraft, publishOrRecord } from '../../src/service/upload/publish-or-record.ts'
import { parseReceipt } from '../../src/store/receipt-file.ts'
import { createS3Store } from '../../src/store/s3/s3-store.ts'
import type { Store } from '../../src/store/store.ts'
import { fill, readAll, type Sample, sample } from '../../src/store/store-samples.testing.ts'
import type { StoredObject } from './fake-bucket.ts'
import type { WorldProcess } from './replica-world.ts'
import { serviceTools } from './service-tools.ts'

/** What an operation did, once it has ended; `pending` also if its process was killed. */
export interface Outcome {
  readonly kind: 'upload' | 'delete' | 'delete if-match' | 'expire' | 'read' | 'scrub' | 'profile' | 'list' | 'start'
  readonly process: WorldProcess
  /** The dataset; null for all. */
  readonly id: string | null
  /** True times, in epoch milliseconds. */
  readonly beganAt: number
  endedAt: number
  /** The request was answered with success. */
  isDone: boolean
  /** It was answered with a failure. */
  failure: unknown
  upload?: Upload
  /** Publishes that it was told to have removed, by dataset. */
  readonly removed: Set<string>
  /** What a list showed. */
  listed?: readonly string[]
}

/** A receipt object that makes a dataset exist. */
export interface Publish {
  readonly attempt: string
  /** The attempt that made the dataset, which repairs keep. */
  readonly since: string
  readonly receipt: Receipt
}

export interface ReplicaService {
  readonly process: WorldProcess
  readonly store: Store
  upload(seen: Outcome, id: string, version: number, fileName: string): Promise<void>
  remove(seen: Outcome, id: string): Promise<void>
  removeIfMatch(seen: Outcome, id: string): Promise<void>
  expire(seen: Outcome): Promise<void>
  read(id: string): Promise<void>
  scrub(id: string): Promise<void>
  profile(id: string): Promise<void>
  list(seen: Outcome): Promise<void>
}

export const keepMs = 86_400_000
const samples = new Map<string, Sample>()
const never = new AbortController().signal

export function datasetId(number: number): string {
  return createHash('sha256').update(`dataset ${number}`).digest('hex').slice(0, 32)
}

/** The same dataset as another upload makes it: none of its files is the same, so that any mix of two is found. */
export function versionOf(id: string, version: number, isLarge = false): Sample {
  const seed = `${id} ${version}`
  const originalBytes = isLarge ? 8_400_000 : version % 4 === 3 ? 70_000 : 400
  const made =
    samples.get(`${seed} ${isLarge}`) ?? sample({ seed, name: 'a.csv', originalBytes, partCount: 1 + (version % 2) })
  samples.set(`${seed} ${isLarge}`, made)
  return { files: made.files, receipt: { ...made.receipt, id } }
}

/** Opens the store of a process, with the service over it. */
export async function openService(process: WorldProcess, dir: string, prefix: string): Promise<ReplicaService> {
  const store = await process.as('start', () =>
    createS3Store({
      bucket: 'fake',
      prefix,
      endpoint: 'http://fake.invalid',
      pathStyle: true,
      region: null,
      dir: join(dir, process.name),
      cacheBytesMax: 1_000_000,
    }),
  )
  const reader = profileReader()
  const { files, existing, catalog, tools } = serviceTools(store, reader)
  const profiles = new Profiles({ store, files, reader })
  return {
    process,
    store,
    upload: async (seen, id, version, fileName) => {
      const arrival = arrive('')
      await using draft = await store.draft()
      const wanted = versionOf(id, version, version >= 90)
      await fill(draft, wanted)
      for (const [file, bytes] of wanted.files) {
        if (version < 90) continue
        draft.grew(file, bytes.length)
        draft.finished(file)
      }
      const receipt = { ...wanted.receipt, createdAt: Date.now() }
      const found = await existing.find(id)
      const taken: FinishedDraft =
        found.kind === 'whole' ? { kind: 'duplicate', receipt: found.receipt } : finishedDraft(found, receipt, draft)
      seen.upload = (await publishOrRecord(tools, arrival, taken, fileName)).upload
    },
    remove: async (seen, id) => {
      await removeOwn(tools, id, 'erase')
      seen.removed.add(id)
    },
    removeIfMatch: async (seen, id) => {
      const { publish } = await catalog.receipt(id)
      await removeOwn(tools, id, 'erase', (receipt) => receipt.publish === publish)
      seen.removed.add(id)
    },
    expire: async (seen) => {
      let failure: unknown = null
      const logger = {
        info: (fields: object) => seen.removed.add((fields as { datasetId: string }).datasetId),
        error: (fields: object) => (failure = (fields as { err: unknown }).err),
      }
      const retention = startRetention({ store, keepMs, keepTrashMs: keepMs, logger })
      // Its first look has begun by then.
      for (let turn = 0; turn < 4; turn += 1) await null
      await retention[Symbol.asyncDispose]()
      if (failure !== null) throw failure
    },
    read: (id) =>
      catalog.reading(id, async (receipt) => {
        for (const file of storedFiles(receipt)) {
          const bytes = await readAll(await files.read(receipt, file))
          assert.equal(sha256(bytes), file.sha256, `bytes of ${file.file}`)
        }
        await files.withLocal(receipt, receipt.parts, async (paths) => {
          for (const path of paths) await readFile(path)
        })
      }),
    scrub: async (id) => {
      const damages = await scrubDataset({ store, pace: async () => {} }, id, never)
      if (damages.length > 0) throw new Damage(`a scrub found ${JSON.stringify(damages)}`)
    },
    profile: (id) =>
      catalog.reading(id, async (receipt) => {
        const profile = await profiles.profile(receipt, never)
        const [first] = profile.statistics
        const shown = first?.column_statistics as { readonly of?: string } | undefined
        if (shown?.of === partsText(receipt)) return
        throw new Error(`the profile of ${shown?.of} for ${partsText(receipt)}`)
      }),
    list: async (seen) => {
      const { datasets } = await store.list({ limit: 100, after: null, owner: '', name: null })
      seen.listed = datasets.map(({ receipt }) => receipt.id)
    },
  }
}

/** Reads a receipt object without the code of the store; null if there is none, or the dataset was removed. */
export function publishOf(id: string, object: StoredObject | null): Publish | null {
  if (object === null) return null
  const [attempt = '', line = '', ...rest] = object.body.toString().split('\n')
  const { since, removal } = JSON.parse(line) as { readonly since: string; readonly removal?: string }
  return removal === undefined ? { attempt, since, receipt: parseReceipt(rest.join('\n'), id) } : null
}

/** What counts as damage of a dataset. */
export class Damage extends Error {}

export function isDamage(error: unknown): boolean {
  return error instanceof Damage || isServiceError(error, 'DATASET_DAMAGED')
}

/** A reader whose statistics say which parts it has read. */
function profileReader(): PartReader {
  const measure = async (parts: readonly { readonly path: string }[], names: readonly string[]) => {
    const of = (await Promise.all(parts.map(async ({ path }) => sha256(await readFile(path)).slice(0, 8)))).join()
    return names.map((column_name) => ({ column_name, column_type: 'int', column_statistics: { of } }))
  }
  return { measure } as unknown as PartReader // profiles use nothing else of it
}

function partsText({ parts }: Receipt): string {
  return parts.map(({ sha256: one }) => one.slice(0, 8)).join()
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

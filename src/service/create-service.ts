// Create service: assembles the service, and shows each owner only their own datasets. upload/ has the order of an upload.

import type { DecompressLimits } from '../compression/decompress.ts'
import { isServiceError, ServiceError } from '../core/errors.ts'
import { textOf } from '../core/stored-files.ts'
import type { PartReader } from '../engine/part-reader.ts'
import type { QueryRunner } from '../engine/query/query.ts'
import { unlessAborted } from '../io/turns/unless-aborted.ts'
import type { Store } from '../store/store.ts'
import { watchChanges } from './changes.ts'
import type { Copies } from './copies/copies.ts'
import { correct, previewCorrections } from './corrections/correct.ts'
import { Catalog } from './dataset/catalog.ts'
import { Downloads } from './dataset/downloads.ts'
import { Profiles } from './dataset/profiles.ts'
import { QueryPlaces, type QueryPlacesOptions, queryDataset } from './dataset/query-places.ts'
import { eraseTrashed, removeOwn, trashOf } from './dataset/remove-dataset.ts'
import type { VerifiedFiles } from './dataset/verified-files.ts'
import { clientOf } from './fair-places.ts'
import type { IngestTools } from './ingest/segment-source.ts'
import { readAgain } from './readings/read-stored.ts'
import { Resumables } from './resumable/resumables.ts'
import type { ResumableLimits } from './resumable/unfinished-places.ts'
import { readUploadOptions } from './schema/upload-options.ts'
import type { Admission, Allowance, Sender, Service, UploadSlot } from './service.ts'
import { AdmissionControl, type AdmissionLimits } from './upload/admission.ts'
import { arrive } from './upload/arrival.ts'
import { ExistingDatasets } from './upload/existing-datasets.ts'
import { Quota } from './upload/quota.ts'
import { type ReceiveLimits, receiveFile } from './upload/receive-file.ts'
import { upload } from './upload/upload.ts'
import type { HeldKey, IdempotencyKeys } from './uploads/idempotency-keys.ts'
import { replayUpload } from './uploads/replay-upload.ts'
import { countedBody, runUpload } from './uploads/run-upload.ts'
import type { Uploads } from './uploads/uploads.ts'

export interface ServiceParts extends IngestTools {
  readonly store: Store
  readonly files: VerifiedFiles
  readonly reader: PartReader
  readonly runner: QueryRunner
  readonly uploads: Uploads
  readonly copies: Copies
  readonly keys: IdempotencyKeys
  readonly limits: ReceiveLimits &
    AdmissionLimits &
    DecompressLimits &
    ResumableLimits &
    QueryPlacesOptions & {
      /** How long a dataset is kept; Infinity for no limit. Milliseconds. */
      readonly keepMs: number
      /** How long a dataset stays in the trash. Milliseconds. */
      readonly keepTrashMs: number
    }
}

/** What the services of all owners share. */
interface Tools extends ServiceParts {
  readonly admissionControl: AdmissionControl
  readonly resumables: Resumables
  readonly queryPlaces: QueryPlaces
  readonly quota: Quota
  readonly existing: ExistingDatasets
  readonly downloads: Downloads
  readonly profiles: Profiles
  readonly storeCheck: StoreCheck
}

/** A service, with its background work until it is disposed. */
export interface OpenService extends AsyncDisposable {
  readonly service: Service
  /** Uploads whose bytes are kept until they are complete and read. */
  unfinished(): { readonly uploads: number; readonly bytes: number }
  /** Number of queries that wait for a place. */
  waitingQueries(): number
}

/** Assembles the service, and continues unfinished uploads. */
export async function createService(parts: ServiceParts): Promise<OpenService> {
  const { limits, store } = parts
  const quota = new Quota(limits, store)
  const admissionControl = await AdmissionControl.open(limits, store, quota)
  const existing = new ExistingDatasets(store, parts.files)
  const explain = (error: unknown) => namingTheStore(store, error)
  const tools = { ...parts, quota, existing, admissionControl, explain }
  const resumables = Resumables.open(tools, limits)
  const queryPlaces = new QueryPlaces(limits)
  const service = serviceOf('', anyone, {
    ...parts,
    quota,
    admissionControl,
    resumables,
    queryPlaces,
    existing,
    downloads: new Downloads(parts),
    profiles: new Profiles(parts),
    storeCheck: new StoreCheck(store),
  })
  return {
    service,
    unfinished: () => resumables.unfinished(),
    waitingQueries: () => queryPlaces.waitingCount,
    [Symbol.asyncDispose]: () => resumables[Symbol.asyncDispose](),
  }
}

/** Without authentication. */
const anyone: Sender = { name: '', mayRead: true }

function serviceOf(owner: string, { name: sender, mayRead }: Sender, tools: Tools): Service {
  const shown = mayRead ? null : sender
  const { store, admissionControl, downloads, profiles, runner, uploads } = tools
  const catalog = new Catalog({ ...tools, owner })
  const receiptOf = (id: string) => catalog.receipt(id)
  const queryTools = { ...tools, owner, places: tools.queryPlaces, receipt: receiptOf }
  const service: Service = {
    ...uploading(owner, sender, tools),
    readAgain: async (id, given, signal) => {
      const declared = await readUploadOptions(given, signal)
      const receipt = await catalog.receipt(id)
      const { bytes: fileBytes } = textOf(receipt)
      const place = admissionControl.admitBytes({ fileBytes, missingBytes: fileBytes }, owner)
      const { name: fileName, bytes } = receipt.file
      const sent = { owner, sender, fileName, receivedBytes: bytes, expectedBytes: bytes }
      return await runUpload(uploads, sent, signal, (arrival, live, ending) => {
        live.received()
        return withSlot(store, place, () => readAgain(tools, arrival, receipt, declared, ending))
      })
    },
    uploads: uploads.of(owner, shown),
    resumable: tools.resumables.of(owner, sender, uploads.of(owner, shown)),
    admitCorrections: async (id, head) => {
      const receipt = await catalog.receipt(id)
      return { ...admissionControl.admitCorrections(head, textOf(receipt).bytes, owner), receipt }
    },
    correct: (admission, body, gone) => {
      const { receipt, boundary, declaredBytes } = admission
      const { name: fileName } = receipt.file
      const sent = { owner, sender, fileName, expectedBytes: declaredBytes, body: admission.body }
      return runUpload(uploads, sent, gone, (arrival, live, signal) => {
        const chunks = countedBody(body, live)
        return withSlot(store, admission, () => correct(tools, arrival, receipt, { boundary, chunks }, signal))
      })
    },
    previewCorrections: (sent, chunks, signal) =>
      withSlot(store, sent, () => previewCorrections(tools, arrive(owner), sent.receipt, { ...sent, chunks }, signal)),
    datasets: ({ isMine, ...query }) => store.list({ ...query, owner, ...(isMine && { sender }) }),
    changes: (network) => watchChanges(store, uploads.of(owner, shown), { owner, network }),
    dataset: (id) => catalog.receipt(id),
    rows: (id, query, signal) => catalog.rows(id, query, signal),
    rejects: (id, query, signal) => catalog.rejects(id, query, signal),
    profile: (id, signal) => catalog.reading(id, (receipt) => profiles.profile(receipt, signal)),
    download: (id, form, signal) => catalog.download(id, (receipt) => downloads.of(receipt, form, signal)),
    query: (id, query, signal) =>
      catalog.reading(id, (of) => queryDataset(queryTools, of, query, clientOf(owner, query.network), signal)),
    copy: async (id, wanted) => tools.copies.begin(await catalog.receipt(id), wanted),
    copies: async (id) => tools.copies.list(await catalog.receipt(id)),
    remove: (id, how, isMeant) => removeOwn({ ...tools, catalog }, id, how, isMeant),
    restore: (id) => trashOf(tools, owner, id, (of) => store.restore(of)).then(() => catalog.receipt(id)),
    erase: (id) => trashOf(tools, owner, id, (of) => eraseTrashed(tools, of)),
    dismiss: async (id, isDismissed) => {
      const receipt = await catalog.receipt(id)
      if (!(await store.dismiss(receipt, isDismissed))) throw new ServiceError('DATASET_NOT_FOUND', { id })
    },
    allowance: () => allowanceOf(owner, tools),
    ready: async () => {
      await tools.storeCheck.run()
      await admissionControl.checkRoom()
      await Promise.all([tools.reader, runner].map((one) => one.check()))
    },
    // Without authentication, all requests share one owner and so this object.
    as: (other, by) => (other === '' ? service : serviceOf(other, by, tools)),
  }
  return service
}

function allowanceOf(owner: string, { store, limits }: Tools): Allowance {
  const { ownerBytesMax, ownerDatasetsMax, fileBytesMax, requestBytesMax, uploadsMax, uploadsPerClientMax } = limits
  const used = store.usage(owner)
  return {
    bytes: { used: used.bytes, max: ownerBytesMax },
    datasets: { used: used.datasets, max: ownerDatasetsMax },
    trash: store.usage(owner, true),
    fileBytesMax,
    requestBytesMax,
    uploadsMax: Math.min(uploadsMax, uploadsPerClientMax),
    keepMs: limits.keepMs,
    keepTrashMs: limits.keepTrashMs,
  }
}

/** Receives files. */
function uploading(owner: string, sender: string, tools: Tools): Pick<Service, 'admit' | 'upload'> {
  const { store, uploads, keys } = tools
  const keyOf = new WeakMap<Admission, HeldKey>()
  return {
    admit: async (head) => {
      const admission = tools.admissionControl.admit(head, owner)
      if (!head.idempotencyKey) return admission
      const key = keys.hold({ owner, sender }, head.idempotencyKey)
      const release = () => {
        key.release()
        admission.release()
      }
      const withKey = { ...admission, release }
      keyOf.set(withKey, key)
      return withKey
    },
    upload: async (admission, body, gone) => {
      const { declaredBytes: expectedBytes, body: pending, boundary, idempotencyKey } = admission
      const key = keyOf.get(admission) ?? null
      const receive = () => receiveFile(body, boundary, tools.limits)
      const replayed = await replayUpload(tools, key, { owner, receive }, gone).catch((error) => {
        admission.release()
        throw error
      })
      if (replayed !== null) {
        admission.release()
        return replayed
      }
      return runUpload(
        uploads,
        { owner, sender, expectedBytes, body: pending, idempotencyKey },
        gone,
        (arrival, live, signal) =>
          withSlot(store, admission, async () => {
            const reply = await upload(tools, arrival, admission, countedBody(body, live), signal)
            await key?.keep(reply)
            return reply
          }),
      )
    },
  }
}

/** Runs work in an upload place, and releases the place. */
async function withSlot<Reply>(store: Store, place: UploadSlot, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    throw await namingTheStore(store, error)
  } finally {
    place.release()
  }
}

/** If the store becomes unavailable, everything in progress fails: report the store's own error. */
async function namingTheStore(store: Store, error: unknown): Promise<unknown> {
  if (!isServiceError(error, 'STORE_FAILED') && !isServiceError(error, 'CONVERSION_FAILED')) return error
  const reason = await store.check().then(
    () => null,
    (one: unknown) => one,
  )
  return isServiceError(reason, 'STORE_UNAVAILABLE') ? reason : error
}

/** A busy disk takes some seconds to sync. Milliseconds. */
const msMaxUsual = 10_000

/** Runs one check at a time, since each holds one of the few threads that all files share until the disk responds. */
export class StoreCheck {
  readonly #store: Pick<Store, 'check'>
  readonly #msMax: number
  #running: { readonly result: Promise<void>; readonly late: AbortSignal } | null = null

  /** @param msMax How long a check may take. Milliseconds. */
  constructor(store: Pick<Store, 'check'>, msMax = msMaxUsual) {
    this.#store = store
    this.#msMax = msMax
  }

  /** @throws {ServiceError} STORE_UNAVAILABLE, DISK_FULL, STORE_FAILED */
  async run(): Promise<void> {
    if (this.#running === null) {
      const result = this.#store.check().finally(() => {
        this.#running = null
      })
      this.#running = { result, late: AbortSignal.timeout(this.#msMax) }
    }
    const { result, late } = this.#running
    try {
      await unlessAborted(result, late)
    } catch (error) {
      if (!late.aborted || error !== late.reason) throw error
      const problem = `it has not responded for ${this.#msMax / 1_000} seconds`
      throw new ServiceError('STORE_UNAVAILABLE', { problem }, error)
    }
  }
}

// Create service: puts the parts of the service together, and shows each owner what is theirs. The order of an upload is in upload/.
import type { DecompressLimits } from '../compression/decompress.ts'
import type { PartReader } from '../convert/convert.ts'
import { isServiceError, ServiceError } from '../core/errors.ts'
import { textOf } from '../core/stored-files.ts'
import type { QueryRunner } from '../query/query.ts'
import type { Store } from '../store/store.ts'
import { Catalog } from './dataset/catalog.ts'
import { Downloads } from './dataset/downloads.ts'
import type { MergedParquet } from './dataset/merged-parquet.ts'
import { Profiles } from './dataset/profiles.ts'
import { queryDataset } from './dataset/query-dataset.ts'
import { QueryPlaces } from './dataset/query-places.ts'
import { removeDataset } from './dataset/remove-dataset.ts'
import type { VerifiedFiles } from './dataset/verified-files.ts'
import type { IngestTools } from './ingest/ingest.ts'
import { readUploadOptions } from './schema/upload-options.ts'
import type { Place, Service, UploadReply } from './service.ts'
import { clientOf } from './shared-places.ts'
import { AdmissionControl, type AdmissionLimits } from './upload/admission.ts'
import { arrive } from './upload/arrival.ts'
import { ExistingDatasets } from './upload/existing-datasets.ts'
import { Quota } from './upload/quota.ts'
import { readAgain } from './upload/read-again.ts'
import type { ReceiveLimits } from './upload/receive-file.ts'
import { upload } from './upload/upload.ts'

export interface ServiceParts extends IngestTools {
  readonly store: Store
  readonly files: VerifiedFiles
  readonly merged: MergedParquet
  readonly reader: PartReader
  readonly runner: QueryRunner
  readonly limits: ReceiveLimits & AdmissionLimits & DecompressLimits & { readonly queriesMax: number }
}

/** What the services of all owners have in common. */
interface Tools extends ServiceParts {
  readonly admissionControl: AdmissionControl
  readonly queryPlaces: QueryPlaces
  readonly quota: Quota
  readonly existing: ExistingDatasets
  readonly downloads: Downloads
  readonly profiles: Profiles
}

/** Makes the service of its parts. */
export async function createService(parts: ServiceParts): Promise<Service> {
  const quota = new Quota(parts.limits, parts.store)
  return serviceOf('', {
    ...parts,
    quota,
    admissionControl: await AdmissionControl.open(parts.limits, parts.store, quota),
    queryPlaces: new QueryPlaces(parts.limits.queriesMax),
    existing: new ExistingDatasets(parts.store, parts.files),
    downloads: new Downloads(parts),
    profiles: new Profiles(parts),
  })
}

function serviceOf(owner: string, tools: Tools): Service {
  const { store, admissionControl, files, downloads, profiles, runner } = tools
  const catalog = new Catalog({ ...tools, owner })
  const queryTools = { files, runner, places: tools.queryPlaces, receipt: (id: string) => catalog.receipt(id) }
  return {
    admit: (head) => admissionControl.admit(head, owner),
    upload: (admission, body, signal) =>
      inPlace(store, admission, () => upload(tools, arrive(owner), admission, body, signal)),
    readAgain: async (id, given, signal) => {
      const declared = await readUploadOptions(given, tools.converter, signal)
      const receipt = await catalog.receipt(id)
      const place = admissionControl.admitReading(textOf(receipt).bytes, owner)
      return await inPlace(store, place, () => readAgain(tools, arrive(owner), receipt, declared, signal))
    },
    datasets: (query) => store.list({ ...query, owner }),
    dataset: (id) => catalog.receipt(id),
    rows: (id, query, signal) => catalog.rows(id, query, signal),
    rejects: (id, query, signal) => catalog.rejects(id, query, signal),
    profile: async (id, signal) => profiles.profile(await catalog.receipt(id), signal),
    original: async (id) => downloads.original(await catalog.receipt(id)),
    csv: async (id, options) => downloads.csv(await catalog.receipt(id), options),
    ndjson: async (id) => downloads.ndjson(await catalog.receipt(id)),
    parquet: async (id, signal) => downloads.parquet(await catalog.receipt(id), signal),
    part: async (id, index) => downloads.part(await catalog.receipt(id), index),
    rejectsCsv: async (id) => downloads.rejectsCsv(await catalog.receipt(id)),
    query: (id, query, signal) => queryDataset(queryTools, id, query, clientOf(owner, query.network), signal),
    remove: async (id) => {
      catalog.checkOwner(id)
      if (!(await removeDataset(tools, id))) throw new ServiceError('DATASET_NOT_FOUND', { id })
    },
    ready: async () => {
      await store.check()
      await Promise.all([tools.converter, tools.reader, runner].map((one) => one.check()))
    },
    as: (other) => serviceOf(other, tools),
  }
}

/** Works in a place among the uploads, and releases it. */
async function inPlace(store: Store, place: Place, work: () => Promise<UploadReply>): Promise<UploadReply> {
  try {
    return await work()
  } catch (error) {
    throw await namingTheStore(store, error)
  } finally {
    place.release()
  }
}

/** A store that becomes unavailable makes whatever is being done fail: the store's own error says what has happened. */
async function namingTheStore(store: Store, error: unknown): Promise<unknown> {
  if (!isServiceError(error, 'STORE_FAILED') && !isServiceError(error, 'CONVERSION_FAILED')) return error
  const reason = await store.check().then(
    () => null,
    (one: unknown) => one,
  )
  return isServiceError(reason, 'STORE_UNAVAILABLE') ? reason : error
}

// Create service: the order of one upload, from admission to durable dataset. Each step takes the last noun and returns the next.
import { join } from 'node:path'
import type { PartReader } from '../convert/convert.ts'
import { isServiceError, ServiceError } from '../core/errors.ts'
import { uuidV7 } from '../core/ids.ts'
import { type Note, note } from '../core/notes.ts'
import type { FileFacts, Receipt, Upload } from '../core/receipt.ts'
import { fileChunks } from '../io/file-chunks.ts'
import { linkOrCopy } from '../io/link-or-copy.ts'
import type { QueryRunner } from '../query/query.ts'
import type { Draft, Store } from '../store/store.ts'
import { Catalog } from './dataset/catalog.ts'
import { Downloads } from './dataset/downloads.ts'
import { Profiles } from './dataset/profiles.ts'
import { queryDataset } from './dataset/query-dataset.ts'
import { readTexts } from './dataset/record-text.ts'
import { originalOf, VerifiedFiles } from './dataset/verified-files.ts'
import { footerNotes } from './ingest/footer-notes.ts'
import { type IngestTools, ingest, type Loaded } from './ingest/ingest.ts'
import { dataStart } from './ingest/scan-options.ts'
import type { RecordTally } from './ingest/write-segments.ts'
import { parseUploadOptions, readUploadOptions, type UploadOptions } from './schema/upload-options.ts'
import type { Admission, Service, UploadReply } from './service.ts'
import { AdmissionControl, type AdmissionLimits, type AdmittedUpload } from './upload/admission.ts'
import { datasetId } from './upload/dataset-id.ts'
import { OriginalWriter } from './upload/original-writer.ts'
import { type IncomingFile, type ReceiveLimits, receiveFile } from './upload/receive-file.ts'

export interface ServiceParts extends IngestTools {
  readonly store: Store
  readonly reader: PartReader
  readonly runner: QueryRunner
  readonly limits: ReceiveLimits & AdmissionLimits
}

/** Makes the service of its parts. */
export async function createService(parts: ServiceParts): Promise<Service> {
  const files = new VerifiedFiles(parts.store)
  const shared = {
    admissionControl: await AdmissionControl.open(parts.limits, parts.store),
    files,
    downloads: new Downloads({ ...parts, files }),
    profiles: new Profiles({ ...parts, files }),
  }
  return serviceOf('', parts, shared)
}

/** What the services of all owners have in common. */
interface Shared {
  readonly admissionControl: AdmissionControl
  readonly files: VerifiedFiles
  readonly downloads: Downloads
  readonly profiles: Profiles
}

function serviceOf(owner: string, parts: ServiceParts, shared: Shared): Service {
  const { admissionControl, files, downloads, profiles } = shared
  const catalog = new Catalog({ ...parts, files, owner })
  const tools = { files, runner: parts.runner, receipt: (id: string) => catalog.receipt(id) }
  return {
    admit: (head) => admissionControl.admit(head, owner),
    upload: async (admission, body, signal) => {
      try {
        return await upload(parts, admissionControl, arrive(owner), admitted(admission), body, signal)
      } catch (error) {
        throw await blamed(parts.store, error)
      } finally {
        admission.release()
      }
    },
    readAgain: async (id, statements, signal) => {
      const declared = await readUploadOptions(statements, parts.converter, signal)
      const receipt = await catalog.receipt(id)
      const admission = admissionControl.admitReading(receipt.file.bytes, owner)
      try {
        return await readAgain(parts, shared, arrive(owner), receipt, declared, signal)
      } catch (error) {
        throw await blamed(parts.store, error)
      } finally {
        admission.release()
      }
    },
    datasets: (query) => parts.store.list({ ...query, owner }),
    dataset: (id) => catalog.receipt(id),
    rows: (id, query, signal) => catalog.rows(id, query, signal),
    rejects: (id, query, signal) => catalog.rejects(id, query, signal),
    profile: async (id, signal) => profiles.profile(await catalog.receipt(id), signal),
    original: async (id) => downloads.original(await catalog.receipt(id)),
    csv: async (id, options) => downloads.csv(await catalog.receipt(id), options),
    ndjson: async (id) => downloads.ndjson(await catalog.receipt(id)),
    parquet: async (id) => downloads.parquet(await catalog.receipt(id)),
    part: async (id, index) => downloads.part(await catalog.receipt(id), index),
    rejectsCsv: async (id) => downloads.rejectsCsv(await catalog.receipt(id)),
    query: (id, query, signal) => queryDataset(tools, id, query, signal),
    remove: async (id) => {
      catalog.checkOwner(id)
      if (!(await parts.store.remove(id))) throw new ServiceError('DATASET_NOT_FOUND', { id })
    },
    ready: () => parts.store.check(),
    as: (other) => serviceOf(other, parts, shared),
  }
}

/** A storage that goes in the middle shows as whatever was being done: it is told as what it is. */
async function blamed(store: Store, error: unknown): Promise<unknown> {
  if (!isServiceError(error, 'STORE_FAILED') && !isServiceError(error, 'CONVERSION_FAILED')) return error
  const reason = await store.check().then(
    () => null,
    (one: unknown) => one,
  )
  return isServiceError(reason, 'STORE_UNAVAILABLE') ? reason : error
}

function admitted(admission: Admission): AdmittedUpload {
  if ('boundary' in admission && typeof admission.boundary === 'string') return admission as AdmittedUpload
  throw new Error('Cannot take upload: the admission is of another service, wanted one from admit()')
}

async function upload(
  parts: ServiceParts,
  admissionControl: AdmissionControl,
  arrival: Arrival,
  { boundary }: AdmittedUpload,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<UploadReply> {
  const file = await receiveFile(body, boundary, parts.limits)
  const declared = await parseUploadOptions(file.texts, parts.converter, signal)
  await using draft = await parts.store.draft()
  const read = await loadNew(parts, arrival, file, declared, draft, signal)
  return await settle(parts, admissionControl, arrival, read, file.name)
}

/** Reads the kept original of a dataset another way: the bytes are shared, not sent or copied again. */
async function readAgain(
  parts: ServiceParts,
  { admissionControl, files }: Shared,
  arrival: Arrival,
  of: Receipt,
  declared: UploadOptions,
  signal: AbortSignal,
): Promise<UploadReply> {
  const { id, file } = of
  const newId = datasetId({ sha256: file.sha256, declared, owner: arrival.owner })
  const kept = await parts.store.receipt(newId)
  if (kept !== null) return await settle(parts, admissionControl, arrival, { receipt: kept, draft: null }, file.name)

  await using draft = await parts.store.draft()
  const originalPath = join(draft.dir, 'original')
  await files.withLocal(id, [originalOf(of)], ([path]) => linkOrCopy(path ?? notFound(id), originalPath))
  const chunks = fileChunks(originalPath, 0, signal)
  const source = { chunks, originalPath, flush: async () => {}, dir: draft.dir, declared }
  const loaded = await ingest(source, parts, signal)
  const receipt = await makeReceipt(newId, arrival, file, loaded, { ...parts, originalPath })
  return await settle(parts, admissionControl, arrival, { receipt, draft }, file.name)
}

/** Who sends something, and since when. */
interface Arrival {
  readonly owner: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
  readonly startMs: number
}

function arrive(owner: string): Arrival {
  return { owner, receivedAt: Date.now(), startMs: performance.now() }
}

function notFound(id: string): never {
  throw new ServiceError('DATASET_NOT_FOUND', { id })
}

/** What came of reading a file: a finished draft, or the receipt of a dataset that was found to be kept already. */
interface Read {
  readonly receipt: Receipt
  /** Null where the dataset is kept already: the draft was left unfinished then, and must not be published. */
  readonly draft: Draft | null
}

/** Publishes what was read, unless it is kept already, and keeps the record of this arrival. */
async function settle(
  { store }: ServiceParts,
  admissionControl: AdmissionControl,
  { owner, receivedAt, startMs }: Arrival,
  { receipt, draft }: Read,
  fileName: string,
): Promise<UploadReply> {
  // A body that did not say how long it would be is held against the quota here.
  if (draft !== null) admissionControl.checkQuota(owner, receipt.file.bytes)
  const arrival = { id: uuidV7(receivedAt), datasetId: receipt.id, fileName, owner, receivedAt }
  const record = (duplicate: boolean): Upload => {
    return { ...arrival, durationMs: Math.round(performance.now() - startMs), duplicate }
  }
  if (draft !== null && (await store.publish(draft, receipt, record(false)))) {
    return { receipt, upload: record(false), duplicate: false }
  }
  // Another upload of the same bytes was first; what it made is the same dataset.
  const kept = (await store.receipt(receipt.id)) ?? receipt
  await store.record(record(true))
  return { receipt: kept, upload: record(true), duplicate: true }
}

/** Thrown to leave a conversion that is no longer needed. */
class AlreadyKept extends Error {
  readonly receipt: Receipt

  constructor(receipt: Receipt) {
    super('the dataset exists already')
    this.receipt = receipt
  }
}

/** Takes a file in while it arrives. */
async function loadNew(
  parts: ServiceParts,
  arrival: Arrival,
  incoming: IncomingFile,
  declared: UploadOptions,
  draft: Draft,
  signal: AbortSignal,
): Promise<Read> {
  await using original = await OriginalWriter.create(join(draft.dir, 'original'))
  let sha256 = ''
  let id = ''
  let synced = Promise.resolve()

  /** All bytes are known a little before all records are converted: a file that is kept already is answered here. */
  async function* chunks() {
    yield* original.through(incoming.chunks)
    sha256 = original.sha256()
    id = datasetId({ sha256, declared, owner: arrival.owner })
    const kept = await parts.store.receipt(id)
    if (kept !== null) throw new AlreadyKept(kept)
    synced = original.close()
    synced.catch(() => {})
  }

  try {
    const arriving = { chunks: chunks(), originalPath: original.path, flush: () => original.flush() }
    const source = { ...arriving, dir: draft.dir, declared }
    const loaded = await ingest(source, parts, signal)
    await synced
    const file = { name: incoming.name, bytes: original.bytes, sha256, contentType: incoming.contentType }
    const receipt = await makeReceipt(id, arrival, file, loaded, { ...parts, originalPath: original.path })
    return { receipt, draft }
  } catch (error) {
    if (error instanceof AlreadyKept) return { receipt: error.receipt, draft: null }
    throw error
  }
}

/** The receipt shows this much of each of its first rejects. Bytes. */
const previewBytesMax = 800

async function makeReceipt(
  id: string,
  { owner, receivedAt }: Arrival,
  file: FileFacts,
  { reading, schema, tally, columns, parts, rejectParts, typeNotes }: Loaded,
  { originalPath, recordBytesMax }: { readonly originalPath: string; readonly recordBytesMax: number },
): Promise<Receipt> {
  const { header, skipped, blank } = reading.before
  const counts = {
    header,
    blank: blank + tally.blank,
    skipped: skipped + tally.skipped,
    accepted: tally.accepted,
    rejected: tally.rejected,
  }
  const end = { originalPath, bytes: file.bytes, reading, lines: tally.lines, lastRejects: tally.last }
  const first = await readTexts(originalPath, reading.encoding.name, tally.first, previewBytesMax)
  return {
    id,
    file,
    encoding: reading.encoding,
    dialect: reading.dialect,
    ...(schema !== null && { schema }),
    records: { total: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts },
    columns,
    rejects: { count: tally.rejected, reasons: tally.reasons, first, parts: rejectParts },
    parts,
    body: { ...dataStart(reading), recordBytesMax },
    evidence: reading.evidence,
    notes: [...reading.notes, ...repairedNote(tally), ...typeNotes, ...(await footerNotes(end))],
    createdAt: receivedAt,
    owner,
  }
}

/** What was read although it was not written as it should be is told, not passed over. */
function repairedNote({ repaired, firstRepairedLines }: RecordTally): readonly Note[] {
  if (repaired === 0) return []
  const lines = `${repaired === 1 ? 'line' : 'lines'} ${firstRepairedLines.join(', ')}${repaired > firstRepairedLines.length ? ', …' : ''}`
  const records = repaired === 1 ? '1 record has' : `${repaired} records have`
  const message = `${records} a quote too many and could be meant in one way only; the quote is read as text (${lines}).`
  return [note('QUOTE_REPAIRED', message, { lines: firstRepairedLines })]
}

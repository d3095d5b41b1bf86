// Upload service: the order of one upload, from admission to durable dataset. Each step takes the last noun and returns the next.
import { join } from 'node:path'
import type { PartReader } from '../convert/convert.ts'
import { ServiceError } from '../core/errors.ts'
import { uuidV7 } from '../core/ids.ts'
import type { Receipt, RejectPreview, Upload } from '../core/receipt.ts'
import type { StatedDialect } from '../reading/reading.ts'
import type { Draft, Store } from '../store/store.ts'
import { AdmissionDesk, type AdmissionLimits, type Admitted } from './admission.ts'
import { Catalog } from './catalog.ts'
import { datasetId } from './dataset-id.ts'
import { type IngestTools, ingest, type Loaded } from './ingest.ts'
import { OriginalStage } from './original-stage.ts'
import { type IncomingFile, type ReceiveLimits, receiveFile } from './receive.ts'
import { readTexts } from './record-text.ts'
import { dataStart } from './scan-options.ts'
import type { Admission, Service, UploadReply } from './service.ts'
import { readStatedDialect } from './stated-dialect.ts'

export interface ServiceParts extends IngestTools {
  readonly store: Store
  readonly reader: PartReader
  readonly limits: ReceiveLimits & AdmissionLimits
}

/** Makes the service of its parts. */
export async function createService(parts: ServiceParts): Promise<Service> {
  const desk = await AdmissionDesk.open(parts.limits, parts.store)
  const catalog = new Catalog(parts)
  return {
    admit: (head) => desk.admit(head),
    upload: async (admission, body, signal) => {
      try {
        return await upload(parts, admitted(admission), body, signal)
      } finally {
        admission.release()
      }
    },
    datasets: (query) => parts.store.list(query),
    dataset: (id) => catalog.receipt(id),
    rows: (id, query, signal) => catalog.rows(id, query, signal),
    rejects: (id, query, signal) => catalog.rejects(id, query, signal),
    original: (id) => catalog.original(id),
    csv: (id, options) => catalog.csv(id, options),
    parquet: (id) => catalog.parquet(id),
    remove: async (id) => {
      if (!(await parts.store.remove(id))) throw new ServiceError('DATASET_NOT_FOUND', { id })
    },
    ready: () => parts.store.check(),
  }
}

function admitted(admission: Admission): Admitted {
  if ('boundary' in admission && typeof admission.boundary === 'string') return admission as Admitted
  throw new Error('Cannot take upload: the admission is of another service, wanted one from admit()')
}

async function upload(
  parts: ServiceParts,
  { boundary }: Admitted,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<UploadReply> {
  const clock = { receivedAt: Date.now(), startMs: performance.now() }
  const file = await receiveFile(body, boundary, parts.limits)
  const stated = readStatedDialect(file.texts.get('dialect'))
  await using draft = await parts.store.draft()
  const { receipt, duplicate } = await load(parts, file, stated, draft, clock.receivedAt, signal)

  const isNew = !duplicate && (await parts.store.publish(draft, receipt))
  // Another upload of the same bytes may have been first; what it made is the same dataset.
  const kept = isNew ? receipt : ((await parts.store.receipt(receipt.id)) ?? receipt)
  const record: Upload = {
    id: uuidV7(clock.receivedAt),
    datasetId: kept.id,
    fileName: file.name,
    receivedAt: clock.receivedAt,
    durationMs: Math.round(performance.now() - clock.startMs),
    duplicate: !isNew,
  }
  await parts.store.record(record)
  return { receipt: kept, upload: record, duplicate: !isNew }
}

/** Thrown to leave a conversion that is no longer needed. */
class AlreadyKept extends Error {
  readonly receipt: Receipt

  constructor(receipt: Receipt) {
    super('the dataset exists already')
    this.receipt = receipt
  }
}

async function load(
  parts: ServiceParts,
  file: IncomingFile,
  stated: StatedDialect,
  draft: Draft,
  createdAt: number,
  signal: AbortSignal,
): Promise<{ receipt: Receipt; duplicate: boolean }> {
  await using original = await OriginalStage.create(join(draft.dir, 'original'))
  let identity = { id: '', sha256: '' }
  let synced = Promise.resolve()

  /** All bytes are known a little before all records are converted: a file that is kept already is answered here. */
  async function* chunks() {
    yield* original.through(file.chunks)
    const sha256 = original.sha256()
    identity = { id: datasetId({ sha256, stated, owner: '' }), sha256 }
    const kept = await parts.store.receipt(identity.id)
    if (kept !== null) throw new AlreadyKept(kept)
    synced = original.close()
    synced.catch(() => {})
  }
  try {
    const loaded = await ingest(
      { chunks: chunks(), originalPath: original.path, dir: draft.dir, stated },
      parts,
      signal,
    )
    await synced
    const receipt = await makeReceipt(identity, file, original, loaded, createdAt)
    return { receipt, duplicate: false }
  } catch (error) {
    if (error instanceof AlreadyKept) return { receipt: error.receipt, duplicate: true }
    throw error
  }
}

/** The receipt shows this much of each of its first rejects. Bytes. */
const previewBytesMax = 800

async function makeReceipt(
  identity: { readonly id: string; readonly sha256: string },
  file: IncomingFile,
  original: OriginalStage,
  { reading, tally, columns, parts, rejectParts }: Loaded,
  createdAt: number,
): Promise<Receipt> {
  const { header, skipped, blank } = reading.before
  const counts = {
    header,
    blank: blank + tally.blank,
    skipped: skipped + tally.skipped,
    accepted: tally.accepted,
    rejected: tally.rejected,
  }
  const first: readonly RejectPreview[] = await readTexts(
    original.path,
    reading.encoding.name,
    tally.first,
    previewBytesMax,
  )
  return {
    id: identity.id,
    file: { name: file.name, bytes: original.bytes, sha256: identity.sha256, contentType: file.contentType },
    encoding: reading.encoding,
    dialect: reading.dialect,
    records: { total: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts },
    columns,
    rejects: { count: tally.rejected, reasons: tally.reasons, first, parts: rejectParts },
    parts,
    body: dataStart(reading),
    notes: reading.notes,
    createdAt,
  }
}

// Receipt JSON: how clients see a receipt. The one place that knows its JSON format and its links.
import { evidenceInWords } from '../../core/evidence/evidence.ts'
import { shownNote, verdictOf } from '../../core/notes.ts'
import type { OriginKind, Receipt, RejectPositions } from '../../core/receipt.ts'
import type { CorrectionReply, ListedDataset, UploadReply } from '../../service/service.ts'
import { times } from './times.ts'

export const datasetsPath = '/qas/datasets'

function links({ id, corrections }: Pick<Receipt, 'id' | 'corrections'>) {
  const self = `${datasetsPath}/${id}`
  return {
    self,
    rows: `${self}/rows`,
    csv: `${self}/data.csv`,
    ndjson: `${self}/data.ndjson`,
    parquet: `${self}/data.parquet`,
    rejects: `${self}/rejects`,
    rejectsCsv: `${self}/rejects.csv`,
    annotated: `${self}/annotated.csv`,
    original: `${self}/original`,
    profile: `${self}/profile`,
    dataPackage: `${self}/datapackage.json`,
    readings: `${self}/readings`,
    corrections: `${self}/corrections`,
    query: `${self}/query`,
    ...(corrections && { corrected: `${datasetsPath}/${corrections.of}` }),
  }
}

/** The receipt of a dataset as `GET /qas/datasets/{id}` shows it. */
export function receiptJson(receipt: Receipt) {
  return { id: receipt.id, ...senderOf(receipt), ...receiptFacts(receipt) }
}

function senderOf({ sender }: Receipt) {
  return sender === undefined ? {} : { sender }
}

/** The response to an upload: the receipt, and what holds only for this upload. Without `mayRead`, also its name. */
export function uploadJson({ receipt, upload, notes }: UploadReply, mayRead = true) {
  // These bytes may have been sent before, with another name, or since, if this response is repeated.
  const isOwn = mayRead || (upload.outcome === 'new' && upload.receivedAt === receipt.createdAt)
  const file = isOwn ? receipt.file : { ...receipt.file, name: upload.fileName, contentType: null }
  return {
    id: receipt.id,
    duplicate: upload.outcome !== 'new',
    upload: {
      id: upload.id,
      fileName: upload.fileName,
      ...times({ receivedAt: upload.receivedAt }),
      durationMs: upload.durationMs,
      outcome: upload.outcome,
    },
    ...receiptFacts({ ...receipt, file, notes: [...receipt.notes, ...notes] }),
  }
}

/** The same for corrections, with their outcome. */
export function correctionJson(reply: CorrectionReply) {
  return { ...uploadJson(reply), corrected: reply.corrected }
}

function originOf({ file, declaredDialect, schema, corrections }: Receipt) {
  const read: OriginKind = schema ? 'schema' : declaredDialect ? 'dialect' : 'detected'
  return { id: file.sha256, kind: corrections ? 'corrected' : read }
}

/** An entry in the list of datasets. */
export function receiptLineJson({ receipt, isDismissed, versions }: ListedDataset) {
  const { id, createdAt, file, encoding, records, columns } = receipt
  const { count, reasons, positions } = receipt.rejects
  return {
    id,
    ...senderOf(receipt),
    ...times({ createdAt }),
    file,
    origin: { ...originOf(receipt), versions },
    encoding,
    records,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rejects: {
      count,
      reasons,
      ...(isDismissed && { dismissed: true }),
      ...(positions && { positions: shortPositions(positions) }),
    },
    ...(receipt.corrections && { corrections: { of: receipt.corrections.of, count: receipt.corrections.count } }),
    links: links(receipt),
  }
}

function shortPositions({ bucketBytes, buckets }: RejectPositions) {
  return { bucketBytes, at: buckets.map(({ at }) => at) }
}

function receiptFacts(receipt: Receipt) {
  const { createdAt, file, encoding, dialect, schema, records, bytes, columns, rejects, parts, body, evidence, notes } =
    receipt
  const { parts: _, ...shownRejects } = rejects
  return {
    ...times({ createdAt }),
    file,
    encoding,
    dialect,
    ...(schema && { schema }),
    ...(receipt.corrections && { corrections: receipt.corrections }),
    records,
    ...(bytes && { bytes: { ...bytes, ...(file.compression && { of: 'decompressed' }) } }),
    columns,
    rejects: shownRejects,
    parts,
    body: bodyJson(body),
    evidence: evidenceInWords(evidence),
    notes: notes.map(shownNote),
    verdict: verdictOf(notes),
    links: links(receipt),
  }
}

/** `parseAnyReceipt` reads it. */
function bodyJson({ runaway, ...others }: Receipt['body']) {
  if (runaway === undefined) return others
  const { figureColumns, linesMin } = runaway
  return { ...others, swallowedRecords: { numericColumns: figureColumns, linesMin } }
}

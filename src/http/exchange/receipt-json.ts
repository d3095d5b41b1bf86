// Receipt JSON: how a receipt is shown to clients. The one place that knows the shape on the wire and the links.
import type { Receipt } from '../../core/receipt.ts'
import type { UploadReply } from '../../service/service.ts'

export const datasetsPath = '/qas/datasets'

function links(id: string) {
  const self = `${datasetsPath}/${id}`
  return {
    self,
    rows: `${self}/rows`,
    csv: `${self}/data.csv`,
    ndjson: `${self}/data.ndjson`,
    parquet: `${self}/data.parquet`,
    rejects: `${self}/rejects`,
    rejectsCsv: `${self}/rejects.csv`,
    original: `${self}/original`,
    profile: `${self}/profile`,
    dataPackage: `${self}/datapackage.json`,
    readings: `${self}/readings`,
    query: `${self}/query`,
  }
}

/** The receipt of a dataset as `GET /qas/datasets/{id}` shows it. */
export function receiptJson(receipt: Receipt) {
  return { id: receipt.id, ...receiptFacts(receipt) }
}

/** The response to an upload: the receipt, and what holds for this arrival only. */
export function uploadJson({ receipt, upload, notes }: UploadReply) {
  return {
    id: receipt.id,
    duplicate: upload.outcome !== 'new',
    upload: {
      id: upload.id,
      fileName: upload.fileName,
      receivedAt: upload.receivedAt,
      durationMs: upload.durationMs,
      outcome: upload.outcome,
    },
    ...receiptFacts({ ...receipt, notes: [...receipt.notes, ...notes] }),
  }
}

/** A dataset as a line of the list. */
export function receiptLineJson(receipt: Receipt) {
  const { id, createdAt, file, encoding, records, columns, rejects } = receipt
  return {
    id,
    createdAt,
    file,
    encoding,
    records,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rejects: { count: rejects.count, reasons: rejects.reasons },
    links: links(id),
  }
}

function receiptFacts(receipt: Receipt) {
  const { id, createdAt, file, encoding, dialect, schema, records, columns, rejects, parts, body, evidence, notes } =
    receipt
  return {
    createdAt,
    file,
    encoding,
    dialect,
    ...(schema && { schema }),
    records,
    columns,
    rejects: { count: rejects.count, reasons: rejects.reasons, first: rejects.first },
    parts,
    body,
    evidence,
    notes,
    links: links(id),
  }
}

// Parse receipt: the parts of a receipt that can be verified against the files beside it. Reads stored receipts and those sent to clients.
import { type Corrections, compressionFormats, type Receipt } from '../../core/receipt.ts'

/**
 * The members of a receipt that verification needs. `rejects.parts` is null in a receipt sent to a client, which names
 * none.
 */
export interface ParsedReceipt
  extends Pick<
    Receipt,
    'id' | 'file' | 'encoding' | 'dialect' | 'schema' | 'records' | 'bytes' | 'columns' | 'parts' | 'body' | 'notes'
  > {
  /** Null if nothing was corrected. */
  readonly corrections: Pick<Corrections, 'count' | 'bytes' | 'sha256'> | null
  readonly rejects: Omit<Receipt['rejects'], 'parts'> & { readonly parts: Receipt['parts'] | null }
}

/** What a member must be: a check of it, or those of its own members. */
type Shape = ((value: unknown) => boolean) | { readonly [name: string]: Shape }

const isText = (value: unknown) => typeof value === 'string'
const isChoice = (value: unknown) => typeof value === 'boolean'
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const oneOf = (known: readonly unknown[]) => (value: unknown) => known.includes(value)
const orNull = (shape: Shape) => (value: unknown) => value === null || fits(value, shape)
const optional = (shape: Shape) => (value: unknown) => value === undefined || fits(value, shape)
const listOf = (shape: Shape) => (value: unknown) => Array.isArray(value) && value.every((one) => fits(one, shape))

function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'function') return shape(value)
  if (typeof value !== 'object' || value === null) return false
  const members = value as Readonly<Record<string, unknown>> // an object by the line above
  return Object.entries(shape).every(([name, one]) => fits(members[name], one))
}

const hashed = { bytes: isCount, sha256: isText }
const area = { byteOffset: isCount, records: isCount, lines: isCount }

/** A part is a file directly in its folder, whatever a receipt says. */
const partsIn = (folder: string) => {
  const file = (value: unknown) => new RegExp(`^${folder}/[0-9a-z][0-9a-z.-]*$`).test(String(value)) && isText(value)
  return listOf({ file, records: isCount, ...hashed })
}

const isCounts = (value: unknown) => fits(value, {}) && Object.values(value as object).every(isCount)

const receiptShape = {
  id: isText,
  file: { ...hashed, compression: optional({ format: oneOf(compressionFormats), ...hashed }) },
  corrections: optional({ count: isCount, ...hashed }),
  encoding: { name: isText },
  records: {
    total: isCount,
    header: isCount,
    blank: isCount,
    skipped: isCount,
    accepted: isCount,
    rejected: isCount,
  },
  bytes: optional({ header: isCount, blank: isCount, skipped: isCount, accepted: isCount, rejected: isCount }),
  columns: listOf({ name: isText }),
  dialect: {
    delimiter: (value: unknown) => isText(value) && value !== '',
    quoteChar: orNull(isText),
    escapeChar: orNull(isText),
    commentChar: orNull(isText),
    doubleQuote: isChoice,
    skipInitialSpace: isChoice,
    declared: optional(Array.isArray),
    lineTerminator: oneOf(['\r\n', '\n', '\r', '\r\r\n', '\n\r']),
  },
  notes: listOf({ code: isText }),
  body: {
    ...area,
    recordBytesMax: isCount,
    gap: optional({ ...area, byteLength: isCount }),
    runaway: optional({ figureColumns: listOf(isCount), linesMin: isCount }),
    swallowedRecords: optional({ numericColumns: listOf(isCount), linesMin: isCount }),
  },
  parts: partsIn('data'),
  rejects: {
    count: isCount,
    first: listOf({}),
    reasons: isCounts,
    positions: optional({ bucketBytes: isCount, buckets: listOf({ at: isCount, reasons: isCounts }) }),
    parts: optional(partsIn('rejects')),
  },
}

/** Reads the text of a receipt.json. @throws {Error} naming the first invalid member */
export function parseAnyReceipt(text: string): ParsedReceipt {
  const receipt = JSON.parse(text)
  if (!fits(receipt, {})) throw new Error('the receipt is missing or not what a receipt has there')
  for (const [name, shape] of Object.entries(receiptShape)) {
    if (!fits(receipt[name], shape)) throw new Error(`${name} is missing or not what a receipt has there`)
  }
  const { swallowedRecords: sent, ...body } = receipt.body
  if (sent !== undefined) body.runaway = { figureColumns: sent.numericColumns, linesMin: sent.linesMin }
  // Every member that is read later has just been checked.
  return { corrections: null, ...receipt, body, rejects: { parts: null, ...receipt.rejects } } as ParsedReceipt
}

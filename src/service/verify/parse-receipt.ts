// Parse receipt: the parts of a receipt that can be verified against the files beside it. Reads stored receipts and those sent to clients.
import { type Corrections, compressionFormats, type Dialect, type Receipt } from '../../core/receipt.ts'

/**
 * The members of a receipt that verification needs. `rejects.parts` is null in a receipt sent to a client, which names
 * none.
 */
export interface ParsedReceipt
  extends Pick<
    Receipt,
    'id' | 'file' | 'encoding' | 'dialect' | 'schema' | 'records' | 'columns' | 'parts' | 'body' | 'notes'
  > {
  /** Null if nothing was corrected. */
  readonly corrections: Pick<Corrections, 'count' | 'bytes' | 'sha256'> | null
  readonly rejects: Omit<Receipt['rejects'], 'parts'> & { readonly parts: Receipt['parts'] | null }
}

type Members = Readonly<Record<string, unknown>>

const counts = ['total', 'header', 'blank', 'skipped', 'accepted', 'rejected']
const places = ['byteOffset', 'records', 'lines', 'recordBytesMax']
const characters: readonly (keyof Dialect)[] = ['quoteChar', 'escapeChar', 'commentChar']
const choices: readonly (keyof Dialect)[] = ['doubleQuote', 'skipInitialSpace']

/** Reads the text of a receipt.json. @throws {Error} naming the first invalid member */
export function parseAnyReceipt(text: string): ParsedReceipt {
  const receipt = object(JSON.parse(text), 'the receipt')
  holds(isText(receipt.id), 'id')
  const file = object(receipt.file, 'file')
  holds(isCount(file.bytes) && isText(file.sha256), 'file')
  if (file.compression !== undefined) {
    const { format, bytes, sha256 } = object(file.compression, 'file')
    holds(compressionFormats.some((one) => one === format) && isCount(bytes) && isText(sha256), 'file')
  }
  if (receipt.corrections !== undefined) {
    const { count, bytes, sha256 } = object(receipt.corrections, 'corrections')
    holds(isCount(count) && isCount(bytes) && isText(sha256), 'corrections')
  }
  holds(isText(object(receipt.encoding, 'encoding').name), 'encoding')
  const records = object(receipt.records, 'records')
  holds(
    counts.every((name) => isCount(records[name])),
    'records',
  )
  holds(Array.isArray(receipt.columns) && receipt.columns.length > 0, 'columns')
  for (const column of receipt.columns as unknown[]) holds(isText(object(column, 'columns').name), 'columns')
  holdsDialect(object(receipt.dialect, 'dialect'))
  holds(Array.isArray(receipt.notes), 'notes')
  for (const note of receipt.notes as unknown[]) holds(isText(object(note, 'notes').code), 'notes')
  const body = object(receipt.body, 'body')
  holds(
    places.every((name) => isCount(body[name])),
    'body',
  )
  if (body.gap !== undefined) holdsGap(object(body.gap, 'body'))
  if (body.runaway !== undefined) holdsRunaway(object(body.runaway, 'body'))
  holdsParts(receipt.parts, 'data', 'parts')
  const rejects = object(receipt.rejects, 'rejects')
  holds(isCount(rejects.count) && Array.isArray(rejects.first), 'rejects')
  for (const one of rejects.first as unknown[]) object(one, 'rejects')
  holds(Object.values(object(rejects.reasons, 'rejects')).every(isCount), 'rejects')
  if (rejects.parts !== undefined) holdsParts(rejects.parts, 'rejects', 'rejects')
  // Every member that is read later has just been checked.
  return { corrections: null, ...receipt, rejects: { parts: null, ...rejects } } as unknown as ParsedReceipt
}

function holdsGap(gap: Members): void {
  holds(
    ['byteOffset', 'byteLength', 'records', 'lines'].every((name) => isCount(gap[name])),
    'body',
  )
}

function holdsRunaway({ figureColumns, linesMin }: Members): void {
  holds(Array.isArray(figureColumns) && figureColumns.every(isCount) && isCount(linesMin), 'body')
}

function holdsDialect(dialect: Members): void {
  holds(isText(dialect.delimiter) && dialect.delimiter !== '', 'dialect')
  holds(
    characters.every((name) => dialect[name] === null || isText(dialect[name])),
    'dialect',
  )
  holds(
    choices.every((name) => typeof dialect[name] === 'boolean'),
    'dialect',
  )
  holds(dialect.declared === undefined || Array.isArray(dialect.declared), 'dialect')
  holds(['\r\n', '\n', '\r', '\r\r\n', '\n\r'].includes(String(dialect.lineTerminator)), 'dialect')
}

/** A part is a file directly in its folder, whatever a receipt says. */
function holdsParts(parts: unknown, folder: string, name: string): void {
  holds(Array.isArray(parts), name)
  for (const part of parts as unknown[]) {
    const { file, bytes, records, sha256 } = object(part, name)
    holds(isText(file) && new RegExp(`^${folder}/[0-9a-z][0-9a-z.-]*$`).test(file), name)
    holds(isCount(bytes) && isCount(records) && isText(sha256), name)
  }
}

function object(value: unknown, name: string): Members {
  holds(typeof value === 'object' && value !== null, name)
  return value as Members // an object by the line above
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function holds(condition: boolean, name: string): void {
  if (!condition) throw new Error(`${name} is missing or not what a receipt has there`)
}

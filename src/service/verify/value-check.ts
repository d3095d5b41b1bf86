// Value check: compares every value of the parts with its text in the original. Knows no files of a dataset but the parts.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PartReader, Segment, SegmentLayout, TargetColumn } from '../../convert/convert.ts'
import type { Column, ColumnType, DateForm, GroupChar, NumberForm, Part } from '../../core/receipt.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import type { Scanned } from '../../reading/scanner/scanner.ts'
import { segmentForm } from '../ingest/segment-form.ts'
import { readDeclaredSchema } from '../schema/parse-schema.ts'
import type { ParsedReceipt } from './parse-receipt.ts'

/** Records are compared at the end of a part from the first size on, and anywhere from the second on. */
const segmentBytes = { atPartEnd: 8_388_608, atMost: 33_554_432 }

/** Takes the records as they are scanned again. Two segments of them are on disk, little in memory. */
export class ValueCheck implements AsyncDisposable {
  /** Made for the first record. */
  #dir: string | null = null
  readonly #receipt: ParsedReceipt
  readonly #parts: readonly { readonly path: string; readonly records: number }[]
  readonly #reader: PartReader
  readonly #signal: AbortSignal
  readonly #form: ReturnType<typeof segmentForm>
  readonly #columns: readonly TargetColumn[]
  readonly #mayBreakRules: boolean
  /** The segment that is being written. */
  #file: BufferedWriter | null = null
  #records = 0
  /** Records of earlier segments. */
  #taken = 0
  #segments = 0
  /** Records compared, and what differs in them. */
  #compared = 0
  #problem: string | null = null
  /** Never rejects. */
  #comparing: Promise<void> = Promise.resolve()

  constructor(datasetDir: string, receipt: ParsedReceipt, reader: PartReader, signal: AbortSignal) {
    this.#receipt = receipt
    this.#parts = receipt.parts.map(({ file, records }) => ({ path: join(datasetDir, file), records }))
    this.#reader = reader
    this.#signal = signal
    this.#form = segmentForm({ dialect: receipt.dialect, width: receipt.columns.length })
    this.#columns = targetsOf(receipt)
    this.#mayBreakRules = receipt.rejects.reasons.constraint !== undefined
  }

  async add({ pieces, accepted }: Scanned): Promise<void> {
    if (accepted === 0 || this.#problem !== null) return
    let rest = this.#form.rewrite === null ? pieces : this.#form.rewrite(pieces)
    for (let records = accepted; records > 0; ) {
      const left = this.#recordsLeftOfPart
      const taken = Math.min(records, left)
      const [before, after] = taken === records ? [rest, []] : splitRecords(rest, taken, this.#form.layout)
      this.#dir ??= await mkdtemp(join(tmpdir(), 'csv-upload-verify-'))
      this.#file ??= await BufferedWriter.create(this.#path, { syncEveryBytes: null })
      await this.#file.write(before)
      this.#records += taken
      const bytesMax = taken === left ? segmentBytes.atPartEnd : segmentBytes.atMost
      if (this.#file.bytes >= bytesMax) await this.#compare()
      rest = after
      records -= taken
    }
  }

  /** Infinite if records that break declared rules are between those of the parts. */
  get #recordsLeftOfPart(): number {
    const next = this.#taken + this.#records
    const at = this.#mayBreakRules ? null : this.#partOf(next)
    return at ? at.before + at.part.records - next : Number.POSITIVE_INFINITY
  }

  /** @param record Among all accepted ones, from 0. Null if it is beyond all parts. */
  #partOf(record: number): { readonly part: Part; readonly before: number } | null {
    let before = 0
    for (const part of this.#receipt.parts) {
      if (record < before + part.records) return { part, before }
      before += part.records
    }
    return null
  }

  async verdict(): Promise<{ readonly ok: boolean; readonly detail: string }> {
    await this.#compare()
    await this.#comparing
    const { records, columns } = this.#receipt
    if (this.#problem === null && this.#compared !== records.accepted)
      this.#problem = `${this.#compared} records keep the declared rules, ${records.accepted} in the receipt`
    const values = this.#compared * columns.length
    return { ok: this.#problem === null, detail: this.#problem ?? `${values} are what their texts say` }
  }

  get #path(): string {
    return join(this.#dir ?? '', `${this.#segments}.csv`)
  }

  /** While one segment is compared, the next one is read. */
  async #compare(): Promise<void> {
    if (this.#file === null) return
    await this.#file.close()
    await this.#comparing
    const segment = { path: this.#path, records: this.#records, bytes: this.#file.bytes }
    this.#comparing = this.#compareSegment({ ...segment, layout: this.#form.layout })
    this.#segments += 1
    this.#taken += this.#records
    this.#file = null
    this.#records = 0
  }

  async #compareSegment(segment: Segment): Promise<void> {
    if (this.#problem !== null) return
    const offset = this.#compared
    const how = { columns: this.#columns, offset, mayBreakRules: this.#mayBreakRules }
    try {
      const compared = await this.#reader.compare(segment, this.#parts, how, this.#signal)
      this.#compared += compared.records
      const { differs } = compared
      if (differs !== null) this.#problem = this.#differenceAt(offset + differs.record, differs.column)
      await rm(segment.path)
    } catch (error) {
      this.#problem = String(error)
    }
  }

  #differenceAt(record: number, column: number): string {
    const at = this.#partOf(record)
    const place = at && ` (record ${record - at.before + 1} of ${at.part.file})`
    const name = JSON.stringify(this.#receipt.columns[column]?.name)
    return `record ${record + 1} of the data${place ?? ''}, column ${name}: the value is not what its text says`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#comparing
    await this.#file?.close()
    if (this.#dir !== null) await rm(this.#dir, { recursive: true })
  }
}

/** Splits strict records after `count` of them. */
function splitRecords(
  pieces: readonly Uint8Array[],
  count: number,
  { quote, lineTerminator }: SegmentLayout,
): readonly [readonly Uint8Array[], readonly Uint8Array[]] {
  const [quoteByte, endByte] = [quote?.charCodeAt(0) ?? -1, lineTerminator === '\r' ? 0x0d : 0x0a]
  let left = count
  let isQuoted = false
  for (const [i, piece] of pieces.entries()) {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (byte === quoteByte) isQuoted = !isQuoted
      else if (byte === endByte && !isQuoted && --left === 0)
        return [
          [...pieces.slice(0, i), piece.subarray(0, at + 1)],
          [piece.subarray(at + 1), ...pieces.slice(i + 1)],
        ]
    }
  }
  throw new Error('Cannot split records: there are fewer')
}

/** How the texts of each column are read, by the receipt. */
function targetsOf({ columns, schema, body, notes }: ParsedReceipt): readonly TargetColumn[] {
  const declared = schema === undefined ? null : readDeclaredSchema(schema)
  const { fieldsMatch = 'exact' } = declared?.table ?? {}
  return columns.map((column, i) => {
    const names = [column.name, body.headerFields?.[i]]
    const field =
      fieldsMatch === 'exact' ? declared?.columns[i] : declared?.columns.find((one) => names.includes(one.name))
    const { name, nullWords = [] } = column
    const type = typeOf(column)
    if (field === undefined) return { name, type, nullWords }
    const { form } = field.values
    const isMixed = field.fieldType === 'datetime' && type.kind === 'text'
    const isNearest = notes.some((note) => note.code === 'NUMBERS_ROUNDED' && note.column === name)
    const read = isNearest && form.kind === 'number' ? { ...form, isNearest } : form
    return { name, type, nullWords, declared: { ...field.values, form: isMixed ? { kind: 'moment' } : read } }
  })
}

/** The type that has this name and format in a receipt: see columnTypeName and columnFormat. */
function typeOf({ type, format = '' }: Column): ColumnType {
  const [kind, precision, scale] = type.split(/[(,)]/)
  const date = /^(Y|M|D)+(.)(Y|M|D)+.(Y|M|D)+/.exec(format)
  const number = /^1(\D?)234(\D?)/.exec(format)
  const order = date && ([date[1], date[3], date[4]].join('').toLowerCase() as DateForm['order'])
  const groupChar = (number?.[1] || null) as GroupChar | null
  const decimalChar = (number?.[2] || (groupChar === '.' ? ',' : '.')) as NumberForm['decimalChar']
  const form = date ? { order, separator: date[2] } : number && { decimalChar, groupChar }
  // A receipt has only types of this form; SQL fails for others.
  return {
    kind,
    ...(scale !== undefined && { precision: Number(precision), scale: Number(scale) }),
    ...(form && { form }),
  } as ColumnType
}

// Value check: writes the records once more, in the types that the receipt states, and compares these parts with those of
// the dataset. Knows no other files of it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Converter, ConvertOptions, Segment, TargetColumn } from '../../columns/converter.ts'
import type { DeclaredKey } from '../../core/declared-values.ts'
import type { Column, ColumnType, DateForm, GroupChar, NumberForm, Part } from '../../core/receipt.ts'
import { excludedCount } from '../../core/reject-reasons.ts'
import type { PartReader } from '../../engine/part-reader.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import type { ScanResult } from '../../reading/scanner/scanner.ts'
import { RepeatedKeys } from '../ingest/repeated-keys.ts'
import { segmentForm, splitAfter } from '../ingest/segment-form.ts'
import { hasFewTexts } from '../ingest/typed-parts.ts'
import type { DeclaredColumn } from '../schema/declared-column.ts'
import { keysIn } from '../schema/match-schema.ts'
import { readDeclaredSchema } from '../schema/parse-schema.ts'
import type { ParsedReceipt } from './parse-receipt.ts'

/** Where the ends of parts cannot be known, segments end from this size on. */
const segmentBytesUsual = 16_777_216

export interface ValueTools {
  readonly converter: Pick<Converter, 'convert' | 'findRepeats'>
  readonly reader: PartReader
}

/**
 * Takes the records as they are scanned again, a part at a time if no records that break declared rules are between
 * them: then the same writer makes the same bytes. Parts with other bytes, as another version may have written them, are
 * compared value by value. Two segments, and a part of one, are on disk, little in memory.
 */
export class ValueCheck implements AsyncDisposable {
  /** Made for the first record. */
  #dir: string | null = null
  readonly #receipt: ParsedReceipt
  readonly #parts: readonly { readonly path: string; readonly records: number }[]
  readonly #tools: ValueTools
  readonly #signal: AbortSignal
  readonly #form: ReturnType<typeof segmentForm>
  readonly #columns: readonly TargetColumn[]
  readonly #mayBreakRules: boolean
  /** With none, what repeats a key is known from the beginning. */
  readonly #keys: readonly DeclaredKey[]
  #repeatedKeys: RepeatedKeys | null = null
  /** The segments are written for the hashes of their keys only. */
  gathersKeys: boolean
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

  constructor(datasetDir: string, receipt: ParsedReceipt, tools: ValueTools, signal: AbortSignal) {
    this.#receipt = receipt
    this.#parts = receipt.parts.map(({ file, records }) => ({ path: join(datasetDir, file), records }))
    this.#tools = tools
    this.#signal = signal
    this.#form = segmentForm({ dialect: receipt.dialect, width: receipt.columns.length })
    const { columns, keys } = targetsOf(receipt)
    this.#columns = columns
    this.#keys = keys
    this.gathersKeys = keys.length > 0
    this.#mayBreakRules = excludedCount(receipt.rejects.reasons) > 0
  }

  /** While `gathersKeys`, all records must be added once before those that are compared: then call this. */
  async findRepeats(): Promise<void> {
    await this.#compare()
    await this.#comparing
    await this.#repeatedKeys?.find(this.#tools.converter, this.#signal)
    this.gathersKeys = false
    this.#taken = 0
    this.#segments = 0
  }

  async add({ pieces, accepted }: Pick<ScanResult, 'pieces' | 'accepted'>): Promise<void> {
    if (accepted === 0 || this.#problem !== null) return
    let rest = this.#form.rewrite === null ? pieces : this.#form.rewrite(pieces)
    for (let records = accepted; records > 0; ) {
      const left = this.#recordsLeftOfPart
      const taken = Math.min(records, left)
      const split = taken === records ? null : splitAfter(rest, this.#form.layout, (count) => count === taken)
      this.#dir ??= await mkdtemp(join(tmpdir(), 'csv-upload-verify-'))
      this.#repeatedKeys ??= new RepeatedKeys(this.#dir, this.#keys)
      this.#file ??= await BufferedWriter.create(this.#path, { syncEveryBytes: null })
      await this.#file.write(split?.before ?? rest)
      this.#records += taken
      const isFull = this.#mayBreakRules && this.#file.bytes >= segmentBytesUsual
      if (taken === left || isFull) await this.#compare()
      rest = split?.after ?? []
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
    return { ok: this.#problem === null, detail: this.#problem ?? `${values} are what their text says` }
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
    this.#comparing = this.#compareSegment({ ...segment, layout: this.#form.layout }, this.#segments)
    this.#segments += 1
    this.#taken += this.#records
    this.#file = null
    this.#records = 0
  }

  async #compareSegment(segment: Segment, index: number): Promise<void> {
    if (this.#problem !== null) return
    try {
      this.#problem = await this.#differenceIn(segment, this.#repeatedKeys?.options(index, segment.records))
      await rm(segment.path)
    } catch (error) {
      this.#problem = String(error)
    }
  }

  async #differenceIn(segment: Segment, options?: ConvertOptions): Promise<string | null> {
    const path = `${segment.path}.parquet`
    const { converter, reader } = this.#tools
    const written = await converter.convert(segment, this.#columns, path, this.#signal, options)
    if (this.gathersKeys) {
      await rm(path, { force: true })
      return null
    }
    const offset = this.#compared
    this.#compared += segment.records - written.violations
    if (written.kind === 'typeMismatch') {
      const { typeMismatches } = written
      const record = typeMismatches.reduce<number>(
        (least, one) => Math.min(least, one ?? least),
        Number.POSITIVE_INFINITY,
      )
      return this.#differenceAt(offset + record - 1, typeMismatches.indexOf(record))
    }
    const { part } = written
    const at = this.#partOf(offset)
    const isSame = at?.before === offset && at.part.sha256 === part.sha256 && at.part.records === part.records
    const names = this.#columns.map(({ name }) => name)
    const made = { path, records: part.records }
    const differs = isSame ? null : await reader.difference(made, this.#parts, names, offset, this.#signal)
    await rm(path)
    return differs && this.#differenceAt(offset + differs.record, differs.column)
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

/** How the columns were written, by the receipt. */
function targetsOf(receipt: ParsedReceipt) {
  const { columns, schema, body } = receipt
  const declared = schema === undefined ? null : readDeclaredSchema(schema)
  const { fieldsMatch = 'exact' } = declared?.table ?? {}
  const fields = columns.map(({ name }, i) => {
    const names = [name, body.headerFields?.[i]]
    const isField = (one: DeclaredColumn) =>
      one.nameInFile === undefined ? names.includes(one.name) : one.name === name
    return fieldsMatch === 'exact' ? declared?.columns[i] : declared?.columns.find(isField)
  })
  const targets = readTargets(receipt, fields)
  const fastCompression = hasFewTexts(targets)
  return {
    columns: targets.map((target) =>
      fastCompression && target.type.kind === 'text' ? { ...target, fastCompression } : target,
    ),
    keys: declared === null ? [] : keysIn(declared, fields),
  }
}

function readTargets(
  { columns, notes }: ParsedReceipt,
  fields: readonly (DeclaredColumn | undefined)[],
): readonly TargetColumn[] {
  return columns.map((column, i) => {
    const field = fields[i]
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
  // A receipt has only types of this form; writing fails for others.
  return {
    kind,
    ...(scale !== undefined && { precision: Number(precision), scale: Number(scale) }),
    ...(form && { form }),
  } as ColumnType
}

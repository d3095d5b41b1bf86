// Read texts: reads texts as single records of a dataset, with the code that reads corrections. Knows no file.
import type { RefusedCorrection } from '../../../src/core/receipt.ts'
import { rejectTable } from '../../../src/core/reject-reasons.ts'
import { FieldWalker } from '../../../src/csv/field-walker.ts'
import { utf8Bytes } from '../../../src/reading/bytes/platform-bytes.ts'
import { scanOptions } from '../../../src/reading/scan-options.ts'
import { createFileScanner } from '../../../src/reading/scanner/file-scanner.ts'
import { createScanner } from '../../../src/reading/scanner/wasm-scanner.ts'
import { type RecordOfText, recordReader } from '../../../src/service/ingest/record-of-text.ts'
import { segmentForm } from '../../../src/service/ingest/segment-form.ts'
import type { Receipt } from '../../api.ts'
import { PreviewRows } from '../preview-rows.ts'

/** The members of a receipt that determine how its records are read. */
export interface RecordLayout extends Pick<Receipt, 'encoding' | 'dialect' | 'body'> {
  /** Fields of a record. */
  readonly width: number
}

/** A part of a text, in characters; empty if something is missing. */
export interface TextPlace {
  readonly from: number
  readonly to: number
}

interface TextRefusal extends Omit<RefusedCorrection, 'record'> {
  /** Null if the whole record is meant. */
  readonly place: TextPlace | null
}

export interface TextReading {
  /** The values of the first columns, null for an empty one; null if the text is not a record. */
  readonly fields: readonly (string | null)[] | null
  readonly refusal: TextRefusal | null
  /** The positions of the values in the text. */
  readonly places: readonly TextPlace[]
}

const createScannerOf = createFileScanner(createScanner)
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

const placesMax = 1_000

export function readTexts(layout: RecordLayout, texts: readonly string[]): readonly TextReading[] {
  const { encoding, dialect, width, body } = layout
  const readRecord = recordReader(
    createScannerOf,
    scanOptions({ encoding, dialect, width, start: body }, body.recordBytesMax),
  )
  return texts.map((text) => readingOf(readRecord(text), text, layout))
}

function readingOf(record: RecordOfText, text: string, layout: RecordLayout): TextReading {
  const places = fieldPlaces(text, layout)
  if (record.kind === 'record') return { fields: fieldsOf(record.pieces, layout), refusal: null, places }
  const { column, reason, message } = record
  return {
    fields: null,
    refusal: { column, reason, message, place: refusedPlace(record, text, places, layout) },
    places,
  }
}

function fieldsOf(pieces: readonly Uint8Array[], { dialect, width }: RecordLayout): TextReading['fields'] {
  const { layout, rewrite } = segmentForm({ dialect, width })
  const preview = new PreviewRows(layout)
  preview.add(rewrite === null ? pieces : rewrite(pieces))
  return preview.rows[0] ?? []
}

function refusedPlace(
  { reason, detail }: RecordOfText & { readonly kind: 'refused' },
  text: string,
  places: readonly TextPlace[],
  { width }: RecordLayout,
): TextPlace | null {
  if (reason === 'too_few_fields') return { from: text.length, to: text.length }
  const surplus = places[width]
  if (reason === 'too_many_fields') return surplus === undefined ? null : { from: surplus.from, to: text.length }
  if (detail === null || reason === 'several_records' || reason === 'no_record' || reason === 'no_reject') return null
  if (rejectTable[reason].detail !== 'offset') return null
  const from = utf8.decode(utf8Bytes(text).subarray(0, detail)).length
  const character = text.codePointAt(from)
  return { from, to: from + (character === undefined ? 0 : String.fromCodePoint(character).length) }
}

/** The positions of the fields of a text, with their quotes; if it is not a record, as far as it reads like one. */
function fieldPlaces(text: string, { dialect }: RecordLayout): readonly TextPlace[] {
  const { delimiter, quoteChar, escapeChar } = dialect
  const bytes = utf8Bytes(text)
  const walker = new FieldWalker({
    delimiter: utf8Bytes(delimiter),
    quoteByte: quoteChar === null ? -1 : quoteChar.charCodeAt(0),
    escapeByte: escapeChar === null ? -1 : escapeChar.charCodeAt(0),
    lineEnd: 'any',
  })
  const places: TextPlace[] = []
  let at = 0
  let characters = 0
  const characterAt = (offset: number) => {
    characters += utf8.decode(bytes.subarray(at, offset)).length
    at = offset
    return characters
  }
  walker.begin(bytes)
  while (places.length < placesMax && walker.advance()) {
    const quotes = walker.isQuoted ? 1 : 0
    const from = characterAt(walker.start - quotes)
    places.push({ from, to: characterAt(Math.min(bytes.length, walker.end + quotes)) })
    if (walker.endsRecord) break
  }
  return places
}

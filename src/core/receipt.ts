// Receipt: the nouns of one finished upload, as they are stored and sent. Knows nothing of how they came about.
import type { Note } from './notes.ts'
import type { TableSchema } from './table-schema.ts'

/** How the characters of a CSV are arranged, in the terms of Frictionless Table Dialect. */
export interface Dialect {
  /** One character, or comma and space. */
  readonly delimiter: string
  readonly quoteChar: string | null
  /** A quote inside a quoted field is written twice. */
  readonly doubleQuote: boolean
  /** Written before a quote inside a quoted field instead of doubling it; null when it is doubled. */
  readonly escapeChar: string | null
  /** CR CR LF and LF CR are read as CR LF, in values too. */
  readonly lineTerminator: '\r\n' | '\n' | '\r' | '\r\r\n' | '\n\r'
  readonly header: boolean
  /** Records before the header (titles, notes) that belong to no table. */
  readonly skipRows: number
  readonly commentChar: string | null
  readonly skipInitialSpace: boolean
  /** Present when declared: fields that a record lacks at its end are empty. Otherwise a short record is a reject. */
  readonly padShortRecords?: true
}

export interface Encoding {
  /** WHATWG name in lower case, such as `utf-8` or `windows-1252`. */
  readonly name: string
  readonly bom: boolean
}

/** Why a file is read as it is: what spoke for it in the first megabyte, a sentence each. */
export interface Evidence {
  readonly encoding: string
  readonly dialect: string
  readonly header: string
}

/** Every record of the file is in exactly one class: header + blank + skipped + accepted + rejected = total. */
export interface RecordCounts {
  readonly total: number
  readonly header: number
  readonly blank: number
  /** Titles before the header and comment lines. */
  readonly skipped: number
  readonly accepted: number
  readonly rejected: number
}

export type ColumnType =
  | { readonly kind: 'time' | 'timestamptz' | 'text' }
  | { readonly kind: 'integer' | 'number'; readonly form?: NumberForm }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number; readonly form?: NumberForm }
  /** `spelling` is how true is written; absent where `true`, `True` and `TRUE` may stand side by side. */
  | { readonly kind: 'boolean'; readonly spelling?: 'true' | 'True' | 'TRUE' }
  | { readonly kind: 'date' | 'timestamp'; readonly form?: DateForm }

/** What stands between groups of three digits. */
export const groupChars = [',', '.', ' ', "'", '\u00a0', '\u202f'] as const
export type GroupChar = (typeof groupChars)[number]

/** How numbers are written; a type without one has a point and no groups. The two characters differ. */
export interface NumberForm {
  readonly decimalChar: '.' | ','
  /** A number may also be written without groups, but not with some of them left out. */
  readonly groupChar: GroupChar | null
}

/** How dates are written; a type without one has ISO 8601. Days and months may have one digit, years have four. */
export interface DateForm {
  readonly order: 'ymd' | 'dmy' | 'mdy'
  readonly separator: '-' | '/' | '.'
}

/** A column as the receipt shows it. `type` is the kind, with precision and scale for a decimal: `decimal(9,2)`. */
export interface Column {
  readonly name: string
  readonly type: string
  /** How the values are written, shown by an example or a pattern: `1.234,56`, `DD/MM/YYYY`; absent where as usual. */
  readonly format?: string
  readonly nulls: number
  /** Words that stand for null in this column beside the unquoted empty field, such as `NA`. */
  readonly nullWords?: readonly string[]
  readonly why: string
}

export const rejectReasons = [
  'too_few_fields',
  'too_many_fields',
  'text_after_quote',
  'quote_in_field',
  'unclosed_quote',
  'invalid_bytes',
  'nul_byte',
  'record_too_long',
  'line_end_in_field',
  'constraint',
] as const
export type RejectReason = (typeof rejectReasons)[number]

/** Where a record that could not be read stands in the original, and why. */
export interface Reject {
  /** Counted from 1 over all records of the file: header, blank and skipped ones too. */
  readonly record: number
  /** Physical line on which it starts, counted from 1. */
  readonly line: number
  /** Offset of its first byte in the original, from 0. */
  readonly byteOffset: number
  /** Bytes of the record without its line end. */
  readonly byteLength: number
  /** Column the reason points at, counted from 1; null when it is about the whole record. */
  readonly column: number | null
  readonly reason: RejectReason
  readonly message: string
}

/** A Parquet file of a dataset, holding records in file order. */
export interface Part {
  /** Path below the dataset, `/`-separated: `data/part-00000.parquet`. */
  readonly file: string
  readonly bytes: number
  readonly records: number
  readonly sha256: string
}

/** What is known of one dataset: written last, so that a dataset exists exactly when its receipt does. */
export interface Receipt {
  /** 32 hex digits of SHA-256 over content, reading options and owner. */
  readonly id: string
  readonly file: FileFacts
  readonly encoding: Encoding
  readonly dialect: Dialect
  /** What the client declared about the columns; absent when it declared nothing. */
  readonly schema?: TableSchema
  readonly records: RecordCounts
  readonly columns: readonly Column[]
  readonly rejects: {
    readonly count: number
    readonly reasons: Readonly<Partial<Record<RejectReason, number>>>
    /** The first rejects, at most 20, with at most 800 bytes of their text. */
    readonly first: readonly RejectPreview[]
    /** Parquet files that hold every reject, in file order; empty when there are none. */
    readonly parts: readonly Part[]
  }
  readonly parts: readonly Part[]
  /** The file with checksums of the blocks of all these; null where each of them is one block. */
  readonly checksums: Pick<Part, 'file' | 'bytes' | 'sha256'> | null
  /** What a later reading of the original needs to find the same records. */
  readonly body: DataStart & {
    /** The length up to which a record was read, in bytes: it decides how much a quote that never closes takes with it. */
    readonly recordBytesMax: number
  }
  readonly evidence: Evidence
  /** Doubts a careful reader would raise. */
  readonly notes: readonly Note[]
  /** Epoch milliseconds of the first upload that made this dataset. */
  readonly createdAt: number
  /** Whose it is; empty without authentication. */
  readonly owner: string
}

export interface RejectPreview extends Reject, RecordText {}

/** Bytes of a record as they can be shown. */
export interface RecordText {
  /** The record as text; null when its bytes are not valid in the file's encoding. */
  readonly text: string | null
  /** The bytes themselves where they are no text. */
  readonly base64?: string
  /** True when this is only the beginning; the whole stands at byteOffset in the original. */
  readonly cut?: true
}

/** When lines of a quoted value are taken for records that a stray quote has swallowed. */
export interface RunawayRule {
  /** Columns, from 1 and at most two, in which a line has to hold a figure or nothing to read as a record. */
  readonly figureColumns: readonly number[]
  /** So many lines that read as records, the first not counted, are records; at least 1. Fewer are kept as a value. */
  readonly linesMin: number
}

/** Where the first record after the header stands, and what was before it. */
export interface DataStart {
  /** Bytes before it, byte order mark included. */
  readonly byteOffset: number
  readonly records: number
  readonly lines: number
  /** The header's fields as they stand in the file; null without a header. */
  readonly headerFields: readonly string[] | null
  /** Absent where no value over several lines can read as records. */
  readonly runaway?: RunawayRule
  /** Absent unless a comment character was detected: a line that begins with it and has the table's width is a record. */
  readonly keepsWideComments?: true
  /** The header, where records that are no titles stand above it: they come first then. */
  readonly gap?: HeaderGap
}

/** Where header records stand that are passed over, and how many records and lines they are. */
export interface HeaderGap {
  readonly byteOffset: number
  readonly byteLength: number
  readonly records: number
  readonly lines: number
}

export interface FileFacts {
  /** The last segment of the name the client gave, for display only. */
  readonly name: string
  readonly bytes: number
  /** Lower-case hex of the bytes as received. */
  readonly sha256: string
  readonly contentType: string | null
  /** Absent where the file is not compressed. */
  readonly compression?: Compression
}

export const compressionFormats = ['gzip', 'zstd'] as const
export type CompressionFormat = (typeof compressionFormats)[number]

/** How a file is compressed. What a receipt says of places in the file is then about its text. */
export interface Compression {
  readonly format: CompressionFormat
  /** Of the text it was decompressed to. */
  readonly bytes: number
  /** Lower-case hex; of the text too. */
  readonly sha256: string
}

/** What an upload came to: a new dataset, one that existed already, or one whose damaged files it has replaced. */
export const uploadOutcomes = ['new', 'duplicate', 'repaired'] as const
export type UploadOutcome = (typeof uploadOutcomes)[number]

/** One arrival of a file: several uploads of the same bytes share a dataset. */
export interface Upload {
  /** UUID version 7, so that names sort by time. */
  readonly id: string
  readonly datasetId: string
  readonly fileName: string
  /** As of the dataset. */
  readonly owner: string
  /** Epoch milliseconds at the first byte of the request. */
  readonly receivedAt: number
  readonly durationMs: number
  readonly outcome: UploadOutcome
}

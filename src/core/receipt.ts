// Receipt: the types of one finished upload, as stored and sent. Knows nothing of how they are computed.
import type { Evidence } from './evidence/evidence.ts'
import type { Note } from './notes.ts'
import type { RejectReason } from './reject-reasons.ts'
import type { TableSchema } from './table-schema.ts'

/** The format of a CSV file, in the terms of Frictionless Table Dialect. */
export interface Dialect {
  /** One character, or comma and space. */
  readonly delimiter: string
  readonly quoteChar: string | null
  /** A quote inside a quoted field is written twice. */
  readonly doubleQuote: boolean
  /** Written before a quote inside a quoted field instead of doubling it; null if quotes are doubled. */
  readonly escapeChar: string | null
  /** CR CR LF and LF CR are read as CR LF, even in values. */
  readonly lineTerminator: '\r\n' | '\n' | '\r' | '\r\r\n' | '\n\r'
  readonly header: boolean
  /** Records before the header (titles, notes) that belong to no table. */
  readonly skipRows: number
  readonly commentChar: string | null
  readonly skipInitialSpace: boolean
  /** Present if declared: missing fields at the end of a record are empty. Otherwise a short record is a reject. */
  readonly padShortRecords?: true
  /**
   * Members that were declared and hold everywhere: `escapeChar` outside quotes, too, and no other escape is read;
   * `lineTerminator` CR LF, so that an LF alone is text.
   */
  readonly declared?: readonly ('escapeChar' | 'lineTerminator')[]
}

export interface Encoding {
  /** WHATWG name in lower case, such as `utf-8` or `windows-1252`. */
  readonly name: string
  readonly bom: boolean
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

/** The bytes of these records, with their line ends; what precedes the first record is skipped. They add up to the text. */
export type ByteCounts = Readonly<Record<Exclude<keyof RecordCounts, 'total'>, number>>

export type ColumnType =
  | { readonly kind: 'time' | 'timestamptz' | 'text' }
  | { readonly kind: 'integer' | 'number'; readonly form?: NumberForm }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number; readonly form?: NumberForm }
  /** `spelling` is how true is written; absent if `true`, `True` and `TRUE` may be mixed. */
  | { readonly kind: 'boolean'; readonly spelling?: 'true' | 'True' | 'TRUE' }
  | { readonly kind: 'date' | 'timestamp'; readonly form?: DateForm }

/** The character between groups of three digits. */
export const groupChars = [',', '.', ' ', "'", '\u00a0', '\u202f', '\u2019'] as const
export type GroupChar = (typeof groupChars)[number]

/** How numbers are written; a type without one uses a point and no groups. The two characters differ. */
export interface NumberForm {
  readonly decimalChar: '.' | ','
  /** Numbers may also be written without groups, but not with only some of them. */
  readonly groupChar: GroupChar | null
}

/** How dates are written; a type without one uses ISO 8601. Days and months may have one digit, years have four. */
export interface DateForm {
  readonly order: 'ymd' | 'dmy' | 'mdy'
  readonly separator: '-' | '/' | '.'
}

/** A column as the receipt shows it. `type` is the kind, with precision and scale for a decimal: `decimal(9,2)`. */
export interface Column {
  readonly name: string
  readonly type: string
  /** How the values are written, as an example or a pattern: `1.234,56`, `DD/MM/YYYY`; absent for the usual form. */
  readonly format?: string
  readonly nulls: number
  /** Words that stand for null in this column, besides the unquoted empty field, such as `NA`. */
  readonly nullWords?: readonly string[]
  readonly why: string
}

/** Where in the original a rejected record is, and why it was rejected. */
export interface Reject {
  /** Counted from 1 over all records of the file, including header, blank and skipped ones. */
  readonly record: number
  /** Physical line on which it starts, counted from 1. */
  readonly line: number
  /** Offset of its first byte in the original, from 0. */
  readonly byteOffset: number
  /** Bytes of the record without its line end. */
  readonly byteLength: number
  /** Column the reason points at, counted from 1; null if it concerns the whole record. */
  readonly column: number | null
  readonly reason: RejectReason
  readonly message: string
}

export type ReasonCounts = Readonly<Partial<Record<RejectReason, number>>>

/** Where rejects are in the text: how many begin in each of at most `rejectBucketsMax` ranges of equal length. */
export interface RejectPositions {
  /** Length of a range: a power of two. */
  readonly bucketBytes: number
  /** The ranges with rejects, in file order, each by its number from 0. */
  readonly buckets: readonly { readonly at: number; readonly reasons: ReasonCounts }[]
}

export const rejectBucketsMax = 200

/** A receipt shows as many of its rejects, and as many corrections and refused texts. */
export const firstRejectsMax = 20

/** A Parquet file of a dataset, holding records in file order. */
export interface Part {
  /** Path below the dataset, `/`-separated: `data/part-00000.parquet`. */
  readonly file: string
  readonly bytes: number
  readonly records: number
  readonly sha256: string
}

/** Offsets in the text: of the first byte, and of the one after the last. */
export type VerbatimRun = readonly [start: number, end: number]

/** Everything recorded about one dataset: written last, so that a dataset exists exactly when its receipt does. */
export interface Receipt {
  /** 32 hex digits of SHA-256 over content, reading options and owner. */
  readonly id: string
  /**
   * From which publish of the dataset a store has read it; opaque, and absent elsewhere. The property is not enumerable:
   * it is neither stored nor shown.
   */
  readonly publish?: string
  readonly file: FileFacts
  readonly encoding: Encoding
  readonly dialect: Dialect
  /** What the client declared about the columns; absent if it declared nothing. */
  readonly schema?: TableSchema
  /** What the client declared about the dialect, as members of its JSON; absent if it declared nothing. */
  readonly declaredDialect?: Readonly<Record<string, unknown>>
  /** Absent if every record is read as it is in the original. */
  readonly corrections?: Corrections
  readonly records: RecordCounts
  /** Absent in older receipts. */
  readonly bytes?: ByteCounts
  readonly columns: readonly Column[]
  readonly rejects: {
    readonly count: number
    readonly reasons: ReasonCounts
    /** Absent if there are none, and in older receipts. */
    readonly positions?: RejectPositions
    /** The first rejects, at most 20, with at most 800 bytes of their text. */
    readonly first: readonly RejectPreview[]
    /** Parquet files with all rejects, in file order; empty if there are none. */
    readonly parts: readonly Part[]
  }
  readonly parts: readonly Part[]
  /** The file with block checksums of all these; null if each of them is a single block. */
  readonly checksums: Pick<Part, 'file' | 'bytes' | 'sha256'> | null
  /** What a later reading of the original needs to find the same records. */
  readonly body: DataStart & {
    /** The maximum length of a record in bytes: it limits how much an unclosed quote can swallow. */
    readonly recordBytesMax: number
  }
  /**
   * Long ranges of the text in which accepted records stay as they are, with the line ends of the dialect, in file
   * order; only the last one may lack its line end. A scanner can start at the end of each. Absent if there are none.
   */
  readonly verbatim?: readonly VerbatimRun[]
  readonly evidence: Evidence
  /** Doubts that a careful reader would raise. */
  readonly notes: readonly Note[]
  /** Epoch milliseconds of the first upload that created this dataset. */
  readonly createdAt: number
  /** The owner; empty without authentication. */
  readonly owner: string
  /** The key or token that sent it first; absent without authentication, and in older receipts. */
  readonly sender?: string
}

/** How a dataset differs from others that are made of the same file. */
export const originKinds = ['detected', 'dialect', 'schema', 'corrected'] as const
export type OriginKind = (typeof originKinds)[number]

export interface RejectPreview extends Reject, RecordText {}

/** Rejects of a file for which other texts are read. */
export interface Corrections {
  /** Id of the dataset that the same reading makes without corrections. */
  readonly of: string
  readonly count: number
  /** Length and SHA-256 of the file `corrections`, which holds each as a line of JSON, in file order. */
  readonly bytes: number
  readonly sha256: string
  /** The first corrections, at most 20. */
  readonly first: readonly CorrectionPreview[]
}

/** A reject and the text that is read instead. */
export interface Correction extends Reject {
  /** The number of a record that is readable in the original, among all readable ones there; absent for others. */
  readonly ordinal?: number
  /** Without a line end. */
  readonly text: string
}

/** With at most 800 bytes of the text in the original, and at most 800 characters of its replacement. */
export interface CorrectionPreview extends RejectPreview {
  readonly correctedText: string
  /** True if `correctedText` is only the beginning. */
  readonly isCorrectedTextCut?: true
}

/** A text that cannot be read as the one record it was sent for, and why. */
export interface RefusedCorrection {
  readonly record: number
  /** From 1; null if it is about the whole record. */
  readonly column: number | null
  readonly reason: RejectReason | 'several_records' | 'no_record' | 'no_reject'
  readonly message: string
}

/** The bytes of a record in a form that can be shown. */
export interface RecordText {
  /** The record as text; null if its bytes are not valid in the file's encoding. */
  readonly text: string | null
  /** The bytes themselves, if they are not text. */
  readonly base64?: string
  /** True if this is only the beginning; the whole record is at byteOffset in the original. */
  readonly cut?: true
}

/** When to read the lines of a quoted value as records that a stray quote has swallowed. */
export interface RunawayRule {
  /** At most two columns, from 1, that must be empty or numeric for a line to read as a record. */
  readonly figureColumns: readonly number[]
  /** At least 1. This many lines that read as records, not counting the first, are records; fewer remain a value. */
  readonly linesMin: number
}

/** Where the first record after the header is, and what comes before it. */
export interface DataStart {
  /** Bytes before it, byte order mark included. */
  readonly byteOffset: number
  readonly records: number
  readonly lines: number
  /** The header's fields as they are in the file; null without a header. */
  readonly headerFields: readonly string[] | null
  /** Absent if no value over several lines can read as records. */
  readonly runaway?: RunawayRule
  /** Absent unless a comment character was detected: a line that begins with it and has the table's width is a record. */
  readonly keepsWideComments?: true
  /** The header, if records that are not titles precede it: they come first in the dataset. */
  readonly gap?: HeaderGap
}

/** Position of header records that are skipped, and how many records and lines they take. */
export interface HeaderGap {
  readonly byteOffset: number
  readonly byteLength: number
  readonly records: number
  readonly lines: number
}

export interface FileFacts {
  /** The last segment of the name sent by the client, for display only. */
  readonly name: string
  readonly bytes: number
  /** Lower-case hex of the bytes as received. */
  readonly sha256: string
  readonly contentType: string | null
  /** Absent if the file is not compressed. */
  readonly compression?: Compression
}

export const compressionFormats = ['gzip', 'zstd'] as const
export type CompressionFormat = (typeof compressionFormats)[number]

/** How a file is compressed. Places in the receipt then refer to the decompressed text. */
export interface Compression {
  readonly format: CompressionFormat
  /** Length of the decompressed text. */
  readonly bytes: number
  /** Lower-case hex, of the decompressed text. */
  readonly sha256: string
}

/** The outcome of an upload: a new dataset, an existing one, or an existing one whose damaged files were replaced. */
export const uploadOutcomes = ['new', 'duplicate', 'repaired'] as const
export type UploadOutcome = (typeof uploadOutcomes)[number]

/** One upload of a file: several uploads of the same bytes share a dataset. */
export interface Upload {
  /** UUID version 7, so that names sort by time. */
  readonly id: string
  readonly datasetId: string
  readonly fileName: string
  /** The same as the dataset's. */
  readonly owner: string
  /** Epoch milliseconds at the first byte of the request. */
  readonly receivedAt: number
  readonly durationMs: number
  readonly outcome: UploadOutcome
}

// Response schemas: what each route returns, as TypeBox. Both the description of the routes and its tests use them.
import Type from 'typebox'
import { copyModes, copyStates } from '../../core/copies/copy-status.ts'
import { firstLeftMax, firstMendedMax, rulesMax } from '../../core/correction-rules.ts'
import { noteCodes, noteLinesMax, severities } from '../../core/notes.ts'
import {
  compressionFormats,
  firstRejectsMax,
  originKinds,
  rejectBucketsMax,
  uploadOutcomes,
} from '../../core/receipt.ts'
import { rejectReasons } from '../../core/reject-reasons.ts'
import { uploadPhases } from '../../core/upload-status.ts'

/** An object that the document describes once, under this name. */
export function component<Members extends Type.TProperties>($id: string, description: string, members: Members) {
  return Type.Object(members, { $id, description })
}

export function object<Members extends Type.TProperties>(description: string, members: Members) {
  return Type.Object(members, { description })
}

export function listOf<Item extends Type.TSchema>(description: string, item: Item) {
  return Type.Array(item, { description })
}

export function text(description: string) {
  return Type.String({ description })
}

export function flag(description: string) {
  return Type.Boolean({ description })
}

export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

function time(description: string) {
  return Type.Integer({ description: `${description} Milliseconds since 1970-01-01 UTC.` })
}

/** A moment as src/http/exchange/times.ts shows it: `createdAt` and `created`. */
export function moment<Name extends string>(name: Name, description: string) {
  const members = { [`${name}At`]: time(description), [name]: Type.String({ format: 'date-time', description }) }
  return members as Record<Name, Type.TString> & Record<`${Name}At`, Type.TInteger>
}

/** A moment that may be null. */
export function momentOrNull(name: string, description: string) {
  const members = Object.entries(moment(name, description)).map(([member, type]) => [member, orNull(type, description)])
  return Object.fromEntries(members) as Record<string, Type.TUnion>
}

export function orNull(schema: Type.TSchema, description: string) {
  return Type.Union([schema, Type.Null()], { description })
}

/**
 * One of our codes. Not an `enum`, since later versions may add codes, and generated clients would reject a whole
 * response because of an unknown one.
 */
export function oneOf(codes: readonly string[], description: string) {
  return Type.String({ description: `${description} Later versions may add others.`, 'x-extensible-enum': [...codes] })
}

const encoding = component('Encoding', 'The character encoding of the file.', {
  name: text('WHATWG name in lower case, such as `utf-8`.'),
  bom: flag('The file begins with a byte order mark.'),
})

const dialect = component('Dialect', 'How the file was read, as a Frictionless Table Dialect.', {
  delimiter: text('Separates fields.'),
  quoteChar: orNull(Type.String(), 'Encloses fields; null if none.'),
  doubleQuote: flag('A quote inside a quoted field is doubled.'),
  escapeChar: orNull(Type.String(), 'Escapes a quote inside a quoted field instead; null if none.'),
  lineTerminator: text('Ends a record: CR LF, LF or CR; CR CR LF and LF CR are read as CR LF.'),
  header: flag('The first record of the table holds the column names.'),
  skipRows: count('Records before the table.'),
  commentChar: orNull(Type.String(), 'Starts a line that is a comment; null if none.'),
  skipInitialSpace: flag('Spaces after a delimiter are ignored.'),
  declared: Type.Optional(
    Type.Array(Type.Union([Type.Literal('escapeChar'), Type.Literal('lineTerminator')]), {
      description:
        'As declared, and therefore without exception: the escape counts outside quotes, too, and no other is read; an LF alone ends no record.',
    }),
  ),
  padShortRecords: Type.Optional(flag('As declared: records with too few fields are padded with empty ones.')),
})

const tableSchema = Type.Object(
  {},
  { additionalProperties: true, description: 'The declared columns, as a Frictionless Table Schema.' },
)

const datasetId = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description: 'Identifies the dataset; derived from its content.',
})

const sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the bytes, in lower-case hex.',
})

const compression = object(
  'The decompressed text of the file. Positions (`byteOffset`, `line`) are positions in this text.',
  {
    format: Type.Enum([...compressionFormats], { description: 'How the file is compressed.' }),
    bytes: count('Size of the decompressed text, in bytes.'),
    sha256,
  },
)

const dialectFigures = object('About delimiter and width.', {
  code: text('What decides: `declared`, `named` (by the first line), `best` or `one_column`.'),
  delimiter: text('The delimiter.'),
  width: count('Fields of a record.'),
  fitting: count('Records of the first megabyte with as many fields.'),
  records: count('Records of the first megabyte.'),
  next: Type.Optional(
    object('Absent if no other delimiter makes a table.', {
      delimiter: text('The delimiter that is second.'),
      percent: count('How good a table it makes, in percent of the best.'),
    }),
  ),
})

const headerFigures = object('About the header.', {
  code: Type.String({
    description:
      'What decides: the votes of the `columns`, or else `declared`, `years`, `counting`, `alone`, `delimited`, `width`, `groups`, `channels`, `quoted` or `empty`.',
  }),
  typed: count('Columns that have a type only below a header.'),
  unlike: count('Columns in which the first value has another type or shape than those below.'),
  like: count('Columns in which the first value looks like those below.'),
  isUncertain: flag('The first record may be either.'),
  lines: listOf('Lines of the header; empty if there is none.', Type.Integer()),
})

const evidence = component('Evidence', 'Why the file was read this way.', {
  encoding: text('Evidence for the encoding.'),
  dialect: text('Evidence for the dialect.'),
  header: text('Why the first record is, or is not, a header.'),
  figures: component('EvidenceFigures', 'What the sentences are made of.', {
    dialect: dialectFigures,
    header: headerFigures,
  }),
})

const bytes = component(
  'ByteCounts',
  'The bytes of each class of records, line ends included. Their sum is `file.bytes`. Absent for datasets of earlier versions.',
  {
    header: count('Header records.'),
    blank: count('Blank records.'),
    skipped: count('Skipped records, and a byte order mark.'),
    accepted: count('Accepted records.'),
    rejected: count('Rejects.'),
    of: Type.Optional(
      Type.Literal('decompressed', {
        description: 'Counted in the decompressed text: the sum is `file.compression.bytes`.',
      }),
    ),
  },
)

const reject = component('Reject', 'A record left out of the dataset, with its position and the reason.', {
  record: Type.Integer({ minimum: 1, description: 'Its number among all records of the file, from 1.' }),
  line: Type.Integer({ minimum: 1, description: 'The line on which it starts, from 1.' }),
  byteOffset: count('Offset of its first byte in the original.'),
  byteLength: count('Its length in bytes, without the line end.'),
  column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
  reason: oneOf(rejectReasons, 'Why it was rejected.'),
  message: text('The reason, for humans.'),
  text: orNull(Type.String(), 'The record; null if its bytes are not valid text.'),
  base64: Type.Optional(text('Its bytes, if they are not valid text.')),
  cut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of the record is shown.' })),
})

const reasonCounts = Type.Object(
  {},
  {
    $id: 'RejectReasons',
    additionalProperties: Type.Integer({ minimum: 1 }),
    description: 'Number of rejected records for each `reason`. Reasons without records are absent.',
  },
)

const bucketBytes = Type.Integer({ minimum: 1, description: 'Length of a range in bytes: a power of two.' })

const correction = component('Correction', 'A reject of the uncorrected dataset, and the text that is read instead.', {
  ...reject.properties,
  correctedText: text('The text that is read instead.'),
  isCorrectedTextCut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of that text is shown.' })),
})

const corrections = component(
  'Corrections',
  'Records for which another text than that in the original is read. Absent if there are none.',
  {
    of: datasetId,
    count: count('Number of corrected records.'),
    bytes: count('Size of the list of all corrections, in bytes.'),
    sha256,
    first: Type.Array(correction, { maxItems: firstRejectsMax, description: 'The first corrections.' }),
  },
)

const ruleOutcome = component('RuleOutcome', 'What a rule did.', {
  records: count('Rejects that have its cause.'),
  mended: count('Those that it mends.'),
  earlier: count('Those of the others that a text of their own, an earlier rule or a joined line has taken.'),
  first: Type.Array(
    Type.Object({
      record: Type.Integer({ minimum: 1, description: 'The number of the record.' }),
      line: Type.Integer({ minimum: 1, description: 'The line on which it starts.' }),
      text: text('Its text, at most 800 characters.'),
      correctedText: text('The mended text, at most 800 characters.'),
    }),
    { maxItems: firstMendedMax, description: 'The first mended records.' },
  ),
  left: Type.Array(Type.Integer({ minimum: 1 }), {
    maxItems: firstLeftMax,
    description: 'The numbers of the first records with its cause that no rule takes.',
  }),
})

export const correctionOutcome = component('CorrectionOutcome', 'The outcome of submitted corrections.', {
  sent: count('Records that were sent, or that a rule mends.'),
  unchanged: count('Records among them without a text, or with the text they already have.'),
  refused: count('Texts that cannot be read as one record; these records stay rejects.'),
  firstRefused: Type.Array(
    Type.Object({
      record: Type.Integer({ minimum: 1, description: 'The number of the record.' }),
      column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
      reason: oneOf([...rejectReasons, 'several_records', 'no_record', 'no_reject'], 'Why the text was refused.'),
      message: text('The reason, for humans. Offsets are in the text.'),
    }),
    { maxItems: firstRejectsMax, description: 'The first refused records.' },
  ),
  rules: Type.Optional(
    Type.Array(ruleOutcome, {
      maxItems: rulesMax,
      description: 'One for each rule, in their order; absent without rules.',
    }),
  ),
})

/** The response to every failing request, on every route. */
export const errorRecord = component(
  'ErrorRecord',
  'Every error has these six fields. The connection is then closed.',
  {
    timestamp: time('When the request failed.'),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status code.' }),
    error: text('The reason phrase of the status.'),
    exception: text('The kind of error: see the list of errors.'),
    message: text('What went wrong and what is expected, for humans.'),
    path: text('The requested path, as sent.'),
  },
)

const file = component('ReceivedFile', 'The file as received.', {
  name: text('The last segment of the file name that the client sent.'),
  bytes: count('Size of the file as received, in bytes.'),
  sha256,
  contentType: orNull(Type.String(), 'The content type of the part, as sent.'),
  compression: Type.Optional(compression),
})

const records = component(
  'RecordCounts',
  'Every record of the file is counted exactly once: `total` = `header` + `blank` + `skipped` + `accepted` + `rejected`.',
  {
    total: count('The sum of the others.'),
    header: count('Header records.'),
    blank: count('Blank lines.'),
    skipped: count('Titles before the header, and comments.'),
    accepted: count('Records in the dataset.'),
    rejected: count('Records left out of the dataset, each with a reason.'),
  },
)

const columnType = text('A type as in the receipt.')
const columnName = text('Unique in the dataset.')

const column = component('Column', 'A column, and why it has its type.', {
  name: columnName,
  type: Type.String({
    description:
      '`integer`, `decimal(p,s)`, `number`, `boolean`, `date`, `time`, `timestamp`, `timestamptz` (an instant) or `text`.',
  }),
  nulls: count('Records without a value in this column.'),
  format: Type.Optional(text('How the values are written, if not in the usual format: `1.234,56`, `DD/MM/YYYY`.')),
  nullWords: Type.Optional(listOf('Words that mean “no value” in this column.', Type.String())),
  why: Type.String({
    description:
      'Why the column has this type. Values are those of accepted records that are not null: of all, or of the first ones if it says so.',
  }),
})

const severity = Type.Enum([...severities], {
  description:
    '`info`: nothing to do. `doubt`: the file may have been read otherwise than meant; check it. `serious`: it is ' +
    'probably not the table that was meant.',
})

const note = component('Note', 'A doubt about how the file was read.', {
  code: oneOf(noteCodes, 'What the note is about. Branch on this.'),
  severity,
  message: text('A sentence for humans.'),
  lines: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1 }), {
      maxItems: noteLinesMax,
      description: 'The first physical lines concerned.',
    }),
  ),
  column: Type.Optional(text('Name of the column concerned.')),
  values: Type.Optional(listOf('The first values, as in `12<U+00A0>`.', Type.String())),
})

const gap = object('The header, if data records precede it.', {
  byteOffset: count('Where it begins.'),
  byteLength: count('Its length in bytes.'),
  records: count('Records in it.'),
  lines: count('Lines in it.'),
})

const swallowed = object('When lines in a quoted value are read as records that a stray quote swallowed.', {
  numericColumns: listOf(
    'Columns, from 1, in which such a line must hold a number or nothing.',
    Type.Integer({ minimum: 1 }),
  ),
  linesMin: Type.Integer({ minimum: 1, description: 'At least this many such lines are records.' }),
})

const part = component('Part', 'A Parquet file of the dataset.', {
  file: text('Path relative to the dataset.'),
  bytes: count('Size in bytes.'),
  records: count('Number of records.'),
  sha256,
})

function link(what: string) {
  return Type.String({ format: 'uri-reference', description: what })
}

const links = component('Links', 'Related resources, as paths.', {
  self: link('The receipt.'),
  rows: link('Pages of rows.'),
  csv: link('The records as CSV.'),
  ndjson: link('The records as JSON lines.'),
  parquet: link('The records as Parquet.'),
  rejects: link('Pages of rejects.'),
  rejectsCsv: link('All rejects as CSV.'),
  annotated: link('The whole file as CSV, with a verdict on each record.'),
  original: link('The file as received.'),
  profile: link('Statistics of the columns.'),
  dataPackage: link('A Frictionless Data Package.'),
  readings: link('POST here to read the original again.'),
  corrections: link('POST edited rejects here. GET the corrections of this dataset, if it has any.'),
  query: link('POST SQL here.'),
  corrected: Type.Optional(link('The dataset without corrections; present if records were corrected.')),
})

const uploadId = text('UUID of this upload; ids sort by time.')

const receiptFacts = {
  ...moment('created', 'When the dataset was created.'),
  file,
  encoding,
  dialect,
  schema: Type.Optional(tableSchema),
  corrections: Type.Optional(corrections),
  records,
  bytes: Type.Optional(bytes),
  columns: listOf('In the order of the file.', column),
  rejects: component('Rejects', 'Records left out of the dataset, each with a reason.', {
    count: count('Number of rejected records.'),
    reasons: reasonCounts,
    positions: Type.Optional(
      object(
        `Where they are: how many begin in each range of \`bucketBytes\` bytes of the text, of which there are at most ${rejectBucketsMax}. Absent without rejects, and for older datasets.`,
        {
          bucketBytes,
          buckets: listOf(
            'The ranges with rejects, in file order.',
            Type.Object({ at: count('Number of the range, from 0.'), reasons: reasonCounts }),
          ),
        },
      ),
    ),
    first: Type.Array(reject, { maxItems: firstRejectsMax, description: 'The first rejects.' }),
  }),
  parts: listOf('In file order.', part),
  body: component('DataStart', 'Where the data begins.', {
    byteOffset: count('Offset in the original of the first record after the header.'),
    records: count('Records before that record.'),
    lines: count('Lines before that record.'),
    headerFields: orNull(Type.Array(Type.String()), 'The header fields as written in the file; null without a header.'),
    swallowedRecords: Type.Optional(swallowed),
    keepsWideComments: Type.Optional(
      flag('Lines that begin with the detected comment character are records if they have all the fields.'),
    ),
    gap: Type.Optional(gap),
    recordBytesMax: count('Longer records were rejected, in bytes.'),
  }),
  evidence,
  notes: listOf('Warnings about the file and how it was read.', note),
  verdict: Type.Enum([...severities], { description: 'The highest severity of the notes; `info` without notes.' }),
  links,
}

const sender = Type.Optional(
  text(
    'Name of the key or token that was the first to send it; absent without authentication, and for older datasets.',
  ),
)

/** The facts of a dataset, which never change. */
export const receiptResponse = component('Receipt', 'Accounts for every byte of the file.', {
  id: datasetId,
  sender,
  ...receiptFacts,
})

/** The receipt, with facts about this upload. */
export const uploadResponse = component('UploadReceipt', 'The receipt, with facts about this upload.', {
  id: datasetId,
  duplicate: flag('The dataset existed already; no new one was made.'),
  upload: object('This upload.', {
    id: uploadId,
    fileName: Type.String({
      description:
        'As sent this time; `file.name` is the name with which these bytes were first sent, if the caller has the scope `read`.',
    }),
    ...moment('received', 'When its first byte arrived.'),
    durationMs: count('Milliseconds from then until the dataset was ready.'),
    outcome: oneOf(
      uploadOutcomes,
      '`duplicate`: the dataset existed already, and its stored files were checked. `repaired`: it existed, but ' +
        'stored files were missing or damaged and were rebuilt from this upload.',
    ),
  }),
  corrected: Type.Optional(correctionOutcome),
  ...receiptFacts,
})

const after = orNull(Type.String(), 'Pass it as `after` to get the next page; null on the last page.')

const datasetLine = {
  id: datasetId,
  sender,
  ...moment('created', 'When the dataset was created.'),
  file,
  origin: object('The file that it is made of, and how it is read.', {
    id: text('The SHA-256 of the original: versions of one file have the same.'),
    kind: oneOf(originKinds, '`detected` without declarations, with a declared `dialect` or `schema`, or `corrected`.'),
    versions: Type.Integer({ minimum: 1, description: 'Number of datasets made of this file, without the trash.' }),
  }),
  encoding,
  records,
  columns: listOf('In the order of the file.', Type.Object({ name: columnName, type: columnType })),
  rejects: object('Records left out of the dataset, each with a reason.', {
    count: count('Number of rejected records.'),
    reasons: reasonCounts,
    dismissed: Type.Optional(Type.Literal(true, { description: 'They need no more attention.' })),
    positions: Type.Optional(
      object('Where they are, in short. Absent without rejects, and for older datasets.', {
        bucketBytes,
        at: listOf('Numbers of the ranges with rejects, from 0.', count('A range.')),
      }),
    ),
  }),
  corrections: Type.Optional(
    object('Absent if there are none.', { of: corrections.properties.of, count: corrections.properties.count }),
  ),
  links,
}

const total = count('Number of datasets that match, on all pages.')

export const listResponse = component('DatasetPage', 'A page of the list.', {
  datasets: listOf('In the requested order.', component('DatasetLine', 'Summary of a dataset.', datasetLine)),
  total,
  after,
})

export const trashResponse = component('TrashPage', 'A page of the trash.', {
  datasets: listOf(
    'In the requested order.',
    component('TrashedDataset', 'A dataset in the trash.', {
      ...datasetLine,
      ...moment('trashed', 'When it was moved to the trash.'),
      ...moment('erases', 'When it will be deleted.'),
    }),
  ),
  total,
  bytes: count('Bytes of everything in the trash; they count towards the quota.'),
  keepMs: count('Milliseconds from the move to the trash until a dataset is deleted.'),
  after,
})

/** A row of values. Long integers, decimals and dates are text, since JSON cannot represent them exactly. */
const row = listOf('One value per column: text, number, boolean or null.', Type.Unknown())

export const rowsResponse = component('RowPage', 'A page of rows.', {
  columns: listOf('In the order of the values in each row.', Type.Object({ name: columnName, type: columnType })),
  offset: count('Rows before this page.'),
  total: count('Rows in the dataset.'),
  rows: listOf('In file order. Integers beyond 2^53, decimals, dates and times are text, so no digit is lost.', row),
})

export const queryResponse = component('QueryResult', 'The result of a statement.', {
  columns: listOf(
    'In the order of the values in each row.',
    Type.Object({
      name: text('The name in the result; names may repeat.'),
      type: text('A type as in the receipt, or a DuckDB type in lower case, such as `integer[]`.'),
    }),
  ),
  rows: Type.Array(row, {
    description:
      'Values as in a page of rows. Lists are arrays, structs are objects, maps are arrays of `key` and `value`.',
  }),
  truncated: flag('There are more rows than the limits allow.'),
})

function measure(description: string) {
  return Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()], { description }))
}

const bins = object('Distribution of the values between the minimum and the maximum.', {
  hist: Type.Array(count('Values in the bin.')),
  bin_edges: Type.Array(Type.Union([Type.Number(), Type.String()]), {
    description:
      'The start of each bin, and the end of the last. A value on an edge belongs to the bin that starts there.',
  }),
})
const proportion = Type.Number({ minimum: 0, maximum: 1, description: 'As a fraction of all rows.' })

export const profileResponse = component('Profile', 'Statistics in the format of the Hugging Face dataset viewer.', {
  num_examples: count('Rows in the dataset.'),
  statistics: listOf(
    'In column order.',
    component('ColumnStatistics', 'Statistics of a column.', {
      column_name: columnName,
      column_type: Type.Enum(['int', 'float', 'bool', 'string_label', 'string_text', 'datetime'], {
        description:
          'What the statistics describe: numbers, points in time, text lengths in characters (`string_text`), ' +
          'or the frequency of each value (`bool`, and `string_label` with at most 30 distinct texts).',
      }),
      column_statistics: object(
        'Null if no row has a value. Integers beyond 2^53, dates, times and durations are text.',
        {
          nan_count: count('Rows without a value.'),
          nan_proportion: proportion,
          min: measure('Minimum.'),
          max: measure('Maximum.'),
          mean: measure('Mean.'),
          median: measure('Median.'),
          std: measure('Standard deviation.'),
          histogram: Type.Optional(
            Type.Union([bins, Type.Null()], {
              description: 'Distribution of the values between the minimum and the maximum.',
            }),
          ),
          n_unique: Type.Optional(count('Number of distinct values.')),
          n_unique_error: Type.Optional(
            Type.Number({
              description:
                'How far `n_unique` may be off, as a fraction of it. Absent if it is exact, as it is up to 262,144 values.',
            }),
          ),
          q25: measure(
            'First quartile. Between two integers, it is rounded to a half; between two dates, it is a date.',
          ),
          q75: measure('Third quartile.'),
          approximate: Type.Optional(
            listOf(
              'Which of these are approximate: `n_unique`, or, beyond 8,388,608 values, the quartiles.',
              Type.String(),
            ),
          ),
          no_label_count: Type.Optional(count('Always 0.')),
          no_label_proportion: Type.Optional(proportion),
          frequencies: Type.Optional(
            Type.Record(Type.String(), count('Rows with that value.'), { description: 'By value.' }),
          ),
        },
      ),
    }),
  ),
  partial: Type.Literal(false, { description: 'Always false: all rows are covered.' }),
})

export const rejectsResponse = component('RejectPage', 'A page of rejects.', {
  total: count('Rejects in the dataset.'),
  offset: count('Rejects before this page.'),
  rejects: listOf('In file order.', reject),
})

export const healthResponse = component('Health', 'The service is healthy.', {
  status: Type.Literal('ok', { description: 'Always `ok`; otherwise the response is an error.' }),
})

const uploadLinks = component('UploadLinks', 'Related resources, as paths.', {
  self: link('The status.'),
  events: link('The status as server-sent events.'),
  receipt: orNull(Type.String({ format: 'uri-reference' }), 'The receipt of the dataset, once there is one.'),
})

const uploadLine = {
  id: uploadId,
  ...moment('created', 'When its first byte arrived.'),
  ...moment('updated', 'When it last changed.'),
  ...momentOrNull('expires', 'When its status is deleted; null while it is in progress.'),
  phase: Type.Enum([...uploadPhases], {
    description:
      '`receiving` while bytes are missing; `reading` when all have arrived; `writing` ' +
      'while the dataset is made durable; then `done` or `failed`, or `expired` if the client did not continue.',
  }),
  idempotencyKey: orNull(Type.String(), 'As sent, without quotes; null if there was none.'),
  fileName: orNull(Type.String(), 'As sent; null until it has arrived.'),
  bytes: component('UploadBytes', 'Bytes of what is sent: a form, or the file itself.', {
    received: count('Bytes that have arrived.'),
    expected: orNull(Type.Integer({ minimum: 0 }), 'Total; null if the client did not announce it.'),
  }),
  records: orNull(records, 'The records read so far; null before the first.'),
  datasetId: orNull(Type.String(), 'The dataset, once the upload is done.'),
  outcome: orNull(Type.Enum([...uploadOutcomes]), 'The outcome as in the receipt, once the upload is done.'),
  error: orNull(errorRecord, 'Why the upload failed; `path` is the path of the upload.'),
  links: uploadLinks,
}

/** The progress of an upload. */
export const uploadStatusResponse = component('UploadStatus', 'The progress of an upload.', {
  ...uploadLine,
  encoding: orNull(encoding, 'Null until the first megabyte has been read.'),
  dialect: orNull(dialect, 'Null until the first megabyte has been read.'),
  columns: orNull(
    Type.Array(Type.Object({ name: columnName, type: orNull(columnType, 'Null until it has been guessed.') })),
    'Columns so far. Later values may change a type until the upload is done.',
  ),
})

export const uploadsResponse = component('UploadPage', 'A page of the list.', {
  uploads: listOf(
    'Newest first.',
    Type.Object(uploadLine, { $id: 'UploadLine', description: 'Summary of an upload.' }),
  ),
  after,
})

const packageResource = component('DataResource', 'A file of the package.', {
  name: Type.Enum(['data', 'original'], { description: 'The accepted records, or the file as received.' }),
  type: Type.Optional(Type.Literal('table', { description: 'It conforms to the schema.' })),
  path: text('Relative path of the file.'),
  title: Type.Optional(text('The file name that the client sent.')),
  format: Type.Optional(Type.Literal('csv', { description: 'Of the records.' })),
  mediatype: text('The media type.'),
  encoding: text('The character encoding.'),
  bytes: Type.Optional(count('Size in bytes.')),
  hash: Type.Optional(text('`sha256:` and the SHA-256 of its bytes.')),
  dialect: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Dialect of the records.' }),
  ),
  schema: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Schema of the columns.' }),
  ),
})

export const packageResponse = component('DataPackage', 'A Frictionless Data Package, version 2.', {
  $schema: text('The profile of the specification.'),
  id: datasetId,
  name: text('The file name, reduced to letters, digits and `.`, `_`, `-`.'),
  title: text('The file name.'),
  created: Type.String({ format: 'date-time', description: 'When the dataset was created.' }),
  resources: listOf('The records, and the original.', packageResource),
})

export const copyKey = 'Columns that identify a row; for `upsert` only.'

export const copyResponse = component('Copy', 'The copy of a dataset into a table.', {
  to: text('Name of the target.'),
  table: text('The table.'),
  mode: oneOf(copyModes, 'How the table was written.'),
  key: Type.Array(Type.String(), { description: copyKey }),
  state: oneOf(copyStates, '`waiting` for its first or next try, `copying`, `done`, or `failed` for good.'),
  tries: count('Tries so far.'),
  records: orNull(count('Records.'), 'Number of records copied; null unless it is done.'),
  problem: orNull(Type.String(), 'Error of the last try; null if there was none.'),
  ...moment('created', 'When it was requested.'),
  ...moment('updated', 'When it last changed.'),
})

export const copiesResponse = component('CopyList', 'The copies of a dataset.', {
  targets: listOf('Names of all targets.', Type.String()),
  copies: listOf('The latest copy into each table, newest first.', copyResponse),
})

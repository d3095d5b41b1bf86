// Response schemas: what each route returns, as TypeBox. Both the description of the routes and its tests use them.
import Type from 'typebox'
import { copyModes, copyStates } from '../../core/copies/copy-status.ts'
import { noteCodes, noteLinesMax } from '../../core/notes.ts'
import { compressionFormats, firstRejectsMax, uploadOutcomes } from '../../core/receipt.ts'
import { rejectReasons } from '../../core/reject-reasons.ts'
import { uploadPhases } from '../../core/upload-status.ts'

export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

function time(description: string) {
  return Type.Integer({ description: `${description} Milliseconds since 1970-01-01 UTC.` })
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

const encoding = Type.Object(
  {
    name: Type.String({ description: 'WHATWG name in lower case, such as `utf-8`.' }),
    bom: Type.Boolean({ description: 'The file begins with a byte order mark.' }),
  },
  { $id: 'Encoding', description: 'The character encoding of the file.' },
)

const dialect = Type.Object(
  {
    delimiter: Type.String({ description: 'Separates fields.' }),
    quoteChar: orNull(Type.String(), 'Encloses fields; null if none.'),
    doubleQuote: Type.Boolean({ description: 'A quote inside a quoted field is doubled.' }),
    escapeChar: orNull(Type.String(), 'Escapes a quote inside a quoted field instead; null if none.'),
    lineTerminator: Type.String({
      description: 'Ends a record: CR LF, LF or CR; CR CR LF and LF CR are read as CR LF.',
    }),
    header: Type.Boolean({ description: 'The first record of the table holds the column names.' }),
    skipRows: count('Records before the table.'),
    commentChar: orNull(Type.String(), 'Starts a line that is a comment; null if none.'),
    skipInitialSpace: Type.Boolean({ description: 'Spaces after a delimiter are ignored.' }),
    declared: Type.Optional(
      Type.Array(Type.Union([Type.Literal('escapeChar'), Type.Literal('lineTerminator')]), {
        description:
          'As declared, and therefore without exception: the escape counts outside quotes, too, and no other is read; an LF alone ends no record.',
      }),
    ),
    padShortRecords: Type.Optional(
      Type.Boolean({ description: 'As declared: records with too few fields are padded with empty ones.' }),
    ),
  },
  { $id: 'Dialect', description: 'How the file was read, as a Frictionless Table Dialect.' },
)

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

const compression = Type.Object(
  {
    format: Type.Enum([...compressionFormats], { description: 'How the file is compressed.' }),
    bytes: count('Size of the decompressed text, in bytes.'),
    sha256,
  },
  {
    description: 'The decompressed text of the file. Positions (`byteOffset`, `line`) are positions in this text.',
  },
)

const dialectFigures = Type.Object(
  {
    code: Type.String({
      description: 'What decides: `declared`, `named` (by the first line), `best` or `one_column`.',
    }),
    delimiter: Type.String({ description: 'The delimiter.' }),
    width: count('Fields of a record.'),
    fitting: count('Records of the first megabyte with as many fields.'),
    records: count('Records of the first megabyte.'),
    next: Type.Optional(
      Type.Object(
        {
          delimiter: Type.String({ description: 'The delimiter that is second.' }),
          percent: count('How good a table it makes, in percent of the best.'),
        },
        { description: 'Absent if no other delimiter makes a table.' },
      ),
    ),
  },
  { description: 'About delimiter and width.' },
)

const headerFigures = Type.Object(
  {
    code: Type.String({
      description:
        'What decides: the votes of the `columns`, or else `declared`, `years`, `counting`, `alone`, `delimited`, `width`, `groups`, `channels`, `quoted` or `empty`.',
    }),
    typed: count('Columns that have a type only below a header.'),
    unlike: count('Columns in which the first value has another type or shape than those below.'),
    like: count('Columns in which the first value looks like those below.'),
    isUncertain: Type.Boolean({ description: 'The first record may be either.' }),
    lines: Type.Array(Type.Integer(), { description: 'Lines of the header; empty if there is none.' }),
  },
  { description: 'About the header.' },
)

const evidence = Type.Object(
  {
    encoding: Type.String({ description: 'Evidence for the encoding.' }),
    dialect: Type.String({ description: 'Evidence for the dialect.' }),
    header: Type.String({ description: 'Why the first record is, or is not, a header.' }),
    figures: Type.Object(
      { dialect: dialectFigures, header: headerFigures },
      { $id: 'EvidenceFigures', description: 'What the sentences are made of.' },
    ),
  },
  { $id: 'Evidence', description: 'Why the file was read this way.' },
)

const reject = Type.Object(
  {
    record: Type.Integer({ minimum: 1, description: 'Its number among all records of the file, from 1.' }),
    line: Type.Integer({ minimum: 1, description: 'The line on which it starts, from 1.' }),
    byteOffset: count('Offset of its first byte in the original.'),
    byteLength: count('Its length in bytes, without the line end.'),
    column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
    reason: oneOf(rejectReasons, 'Why it was rejected.'),
    message: Type.String({ description: 'The reason, for humans.' }),
    text: orNull(Type.String(), 'The record; null if its bytes are not valid text.'),
    base64: Type.Optional(Type.String({ description: 'Its bytes, if they are not valid text.' })),
    cut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of the record is shown.' })),
  },
  { $id: 'Reject', description: 'A record left out of the dataset, with its position and the reason.' },
)

const reasonCounts = Type.Object(
  {},
  {
    $id: 'RejectReasons',
    additionalProperties: Type.Integer({ minimum: 1 }),
    description: 'Number of rejected records for each `reason`. Reasons without records are absent.',
  },
)

const correction = Type.Object(
  {
    ...reject.properties,
    correctedText: Type.String({ description: 'The text that is read instead.' }),
    isCorrectedTextCut: Type.Optional(Type.Literal(true, { description: 'Only the beginning of that text is shown.' })),
  },
  { $id: 'Correction', description: 'A reject of the uncorrected dataset, and the text that is read instead.' },
)

/** The corrections of a dataset. */
const corrections = Type.Object(
  {
    of: datasetId,
    count: count('Number of corrected records.'),
    bytes: count('Size of the list of all corrections, in bytes.'),
    sha256,
    first: Type.Array(correction, { maxItems: firstRejectsMax, description: 'The first corrections.' }),
  },
  {
    $id: 'Corrections',
    description: 'Records for which another text than that in the original is read. Absent if there are none.',
  },
)

/** The outcome of submitted corrections. */
const corrected = Type.Object(
  {
    sent: count('Records that were sent.'),
    unchanged: count('Records among them without a text, or with the text they already have.'),
    refused: count('Texts that cannot be read as one record; these records stay rejects.'),
    firstRefused: Type.Array(
      Type.Object({
        record: Type.Integer({ minimum: 1, description: 'The number of the record.' }),
        column: orNull(Type.Integer({ minimum: 1 }), 'The field that caused it, from 1.'),
        reason: oneOf([...rejectReasons, 'several_records', 'no_record'], 'Why the text was refused.'),
        message: Type.String({ description: 'The reason, for humans. Offsets are in the text.' }),
      }),
      { maxItems: firstRejectsMax, description: 'The first refused texts.' },
    ),
  },
  { description: 'The outcome of submitted corrections; only in the response to them.' },
)

/** The response to every failing request, on every route. */
export const errorRecord = Type.Object(
  {
    timestamp: time('When the request failed.'),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status code.' }),
    error: Type.String({ description: 'The reason phrase of the status.' }),
    exception: Type.String({ description: 'The kind of error: see the list of errors.' }),
    message: Type.String({ description: 'What went wrong and what is expected, for humans.' }),
    path: Type.String({ description: 'The requested path, as sent.' }),
  },
  { $id: 'ErrorRecord', description: 'Every error has these six fields. The connection is then closed.' },
)

const file = Type.Object(
  {
    name: Type.String({ description: 'The last segment of the file name that the client sent.' }),
    bytes: count('Size of the file as received, in bytes.'),
    sha256,
    contentType: orNull(Type.String(), 'The content type of the part, as sent.'),
    compression: Type.Optional(compression),
  },
  { $id: 'ReceivedFile', description: 'The file as received.' },
)

const records = Type.Object(
  {
    total: count('The sum of the others.'),
    header: count('Header records.'),
    blank: count('Blank lines.'),
    skipped: count('Titles before the header, and comments.'),
    accepted: count('Records in the dataset.'),
    rejected: count('Records left out of the dataset, each with a reason.'),
  },
  { $id: 'RecordCounts', description: 'Every record of the file is counted exactly once.' },
)

/** A type as `Column` describes it. */
const columnType = Type.String({ description: 'A type as in the receipt.' })
const columnName = Type.String({ description: 'Unique in the dataset.' })

const column = Type.Object(
  {
    name: columnName,
    type: Type.String({
      description:
        '`integer`, `decimal(p,s)`, `number`, `boolean`, `date`, `time`, `timestamp`, `timestamptz` (an instant) or `text`.',
    }),
    nulls: count('Records without a value in this column.'),
    format: Type.Optional(
      Type.String({
        description: 'How the values are written, if not in the usual format: `1.234,56`, `DD/MM/YYYY`.',
      }),
    ),
    nullWords: Type.Optional(Type.Array(Type.String(), { description: 'Words that mean “no value” in this column.' })),
    why: Type.String({ description: 'Why the column has this type.' }),
  },
  { $id: 'Column', description: 'A column, and why it has its type.' },
)

const note = Type.Object(
  {
    code: oneOf(noteCodes, 'What the note is about. Branch on this.'),
    message: Type.String({ description: 'A sentence for humans.' }),
    lines: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: noteLinesMax,
        description: 'The first physical lines concerned.',
      }),
    ),
    column: Type.Optional(Type.String({ description: 'Name of the column concerned.' })),
  },
  { $id: 'Note', description: 'A doubt about how the file was read.' },
)

const gap = Type.Object(
  {
    byteOffset: count('Where it begins.'),
    byteLength: count('Its length in bytes.'),
    records: count('Records in it.'),
    lines: count('Lines in it.'),
  },
  { description: 'The header, if data records precede it.' },
)

const runaway = Type.Object(
  {
    figureColumns: Type.Array(Type.Integer({ minimum: 1 }), {
      description: 'Columns, from 1, in which such a line must hold a number or nothing.',
    }),
    linesMin: Type.Integer({ minimum: 1, description: 'At least this many such lines are records.' }),
  },
  { description: 'When lines in a quoted value are read as records that a stray quote swallowed.' },
)

const part = Type.Object(
  {
    file: Type.String({ description: 'Path relative to the dataset.' }),
    bytes: count('Size in bytes.'),
    records: count('Number of records.'),
    sha256,
  },
  { $id: 'Part', description: 'A Parquet file of the dataset.' },
)

function link(what: string) {
  return Type.String({ format: 'uri-reference', description: what })
}

const links = Type.Object(
  {
    self: link('The receipt.'),
    rows: link('Pages of rows.'),
    csv: link('The records as CSV.'),
    ndjson: link('The records as JSON lines.'),
    parquet: link('The records as Parquet.'),
    rejects: link('Pages of rejects.'),
    rejectsCsv: link('All rejects as CSV.'),
    original: link('The file as received.'),
    profile: link('Statistics of the columns.'),
    dataPackage: link('A Frictionless Data Package.'),
    readings: link('POST here to read the original again.'),
    corrections: link('POST edited rejects here. GET the corrections of this dataset, if it has any.'),
    query: link('POST SQL here.'),
    corrected: Type.Optional(link('The dataset without corrections; present if records were corrected.')),
  },
  { $id: 'Links', description: 'Related resources, as paths.' },
)

const uploadId = Type.String({ description: 'UUID of this upload; ids sort by time.' })

const receiptFacts = {
  createdAt: time('When the dataset was created.'),
  file,
  encoding,
  dialect,
  schema: Type.Optional(tableSchema),
  corrections: Type.Optional(corrections),
  records,
  columns: Type.Array(column, { description: 'In the order of the file.' }),
  rejects: Type.Object(
    {
      count: count('Number of rejected records.'),
      reasons: reasonCounts,
      first: Type.Array(reject, { maxItems: firstRejectsMax, description: 'The first rejects.' }),
    },
    { $id: 'Rejects', description: 'Records left out of the dataset, each with a reason.' },
  ),
  parts: Type.Array(part, { description: 'In file order.' }),
  body: Type.Object(
    {
      byteOffset: count('Offset in the original of the first record after the header.'),
      records: count('Records before that record.'),
      lines: count('Lines before that record.'),
      headerFields: orNull(
        Type.Array(Type.String()),
        'The header fields as written in the file; null without a header.',
      ),
      runaway: Type.Optional(runaway),
      keepsWideComments: Type.Optional(
        Type.Boolean({
          description: 'Lines that begin with the detected comment character are records if they have all the fields.',
        }),
      ),
      gap: Type.Optional(gap),
      recordBytesMax: count('Longer records were rejected, in bytes.'),
    },
    { $id: 'DataStart', description: 'Where the data begins.' },
  ),
  evidence,
  notes: Type.Array(note, { description: 'Warnings about the file and how it was read.' }),
  links,
}

/** The facts of a dataset, which never change. */
export const receiptAnswer = Type.Object(
  { id: datasetId, ...receiptFacts },
  { $id: 'Receipt', description: 'Accounts for every byte of the file.' },
)

/** The receipt, with facts about this upload. */
export const uploadAnswer = Type.Object(
  {
    id: datasetId,
    duplicate: Type.Boolean({ description: 'The dataset existed already; no new one was made.' }),
    upload: Type.Object(
      {
        id: uploadId,
        fileName: Type.String({
          description:
            'As sent this time; `file.name` is the name with which these bytes were first sent, if the caller has the scope `read`.',
        }),
        receivedAt: time('When its first byte arrived.'),
        durationMs: count('Milliseconds from then until the dataset was ready.'),
        outcome: oneOf(
          uploadOutcomes,
          '`duplicate`: the dataset existed already, and its stored files were checked. `repaired`: it existed, but ' +
            'stored files were missing or damaged and were rebuilt from this upload.',
        ),
      },
      { description: 'This upload.' },
    ),
    corrected: Type.Optional(corrected),
    ...receiptFacts,
  },
  { $id: 'UploadReceipt', description: 'The receipt, with facts about this upload.' },
)

const after = orNull(Type.String(), 'Pass it as `after` to get the next page; null on the last page.')

export const listAnswer = Type.Object(
  {
    datasets: Type.Array(
      Type.Object(
        {
          id: datasetId,
          createdAt: receiptFacts.createdAt,
          file,
          encoding,
          records,
          columns: Type.Array(Type.Object({ name: columnName, type: columnType }), {
            description: 'In the order of the file.',
          }),
          rejects: Type.Object(
            { count: count('Number of rejected records.'), reasons: reasonCounts },
            { description: 'Records left out of the dataset, each with a reason.' },
          ),
          corrections: Type.Optional(
            Type.Object(
              { of: corrections.properties.of, count: corrections.properties.count },
              { description: 'Absent if there are none.' },
            ),
          ),
          links,
        },
        { $id: 'DatasetLine', description: 'Summary of a dataset.' },
      ),
      { description: 'Newest first.' },
    ),
    after,
  },
  { $id: 'DatasetPage', description: 'A page of the list.' },
)

/** A row of values. Long integers, decimals and dates are text, since JSON cannot represent them exactly. */
const row = Type.Array(Type.Unknown(), {
  description: 'One value per column: text, number, boolean or null.',
})

export const rowsAnswer = Type.Object(
  {
    columns: Type.Array(Type.Object({ name: columnName, type: columnType }), {
      description: 'In the order of the values in each row.',
    }),
    offset: count('Rows before this page.'),
    total: count('Rows in the dataset.'),
    rows: Type.Array(row, {
      description: 'In file order. Integers beyond 2^53, decimals, dates and times are text, so no digit is lost.',
    }),
  },
  { $id: 'RowPage', description: 'A page of rows.' },
)

export const queryAnswer = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: 'The name in the result; names may repeat.' }),
        type: Type.String({
          description: 'A type as in the receipt, or a DuckDB type in lower case, such as `integer[]`.',
        }),
      }),
      { description: 'In the order of the values in each row.' },
    ),
    rows: Type.Array(row, {
      description:
        'Values as in a page of rows. Lists are arrays, structs are objects, maps are arrays of `key` and `value`.',
    }),
    truncated: Type.Boolean({ description: 'There are more rows than the limits allow.' }),
  },
  { $id: 'QueryResult', description: 'The result of a statement.' },
)

function measure(description: string) {
  return Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()], { description }))
}

const bins = Type.Object(
  {
    hist: Type.Array(count('Values in the bin.')),
    bin_edges: Type.Array(Type.Union([Type.Number(), Type.String()]), {
      description:
        'The start of each bin, and the end of the last. A value on an edge belongs to the bin that starts there.',
    }),
  },
  { description: 'Distribution of the values between the minimum and the maximum.' },
)
const proportion = Type.Number({ minimum: 0, maximum: 1, description: 'As a fraction of all rows.' })

export const profileAnswer = Type.Object(
  {
    num_examples: count('Rows in the dataset.'),
    statistics: Type.Array(
      Type.Object(
        {
          column_name: columnName,
          column_type: Type.Enum(['int', 'float', 'bool', 'string_label', 'string_text', 'datetime'], {
            description:
              'What the statistics describe: numbers, points in time, text lengths in characters (`string_text`), ' +
              'or the frequency of each value (`bool`, and `string_label` with at most 30 distinct texts).',
          }),
          column_statistics: Type.Object(
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
              q25: measure('First quartile.'),
              q75: measure('Third quartile.'),
              approximate: Type.Optional(
                Type.Array(Type.String(), { description: 'Which of these are approximate, in large datasets.' }),
              ),
              no_label_count: Type.Optional(count('Always 0.')),
              no_label_proportion: Type.Optional(proportion),
              frequencies: Type.Optional(
                Type.Record(Type.String(), count('Rows with that value.'), { description: 'By value.' }),
              ),
            },
            {
              description: 'Null if no row has a value. Integers beyond 2^53, dates, times and durations are text.',
            },
          ),
        },
        { $id: 'ColumnStatistics', description: 'Statistics of a column.' },
      ),
      { description: 'In column order.' },
    ),
    partial: Type.Literal(false, { description: 'Always false: all rows are covered.' }),
  },
  { $id: 'Profile', description: 'Statistics in the format of the Hugging Face dataset viewer.' },
)

export const rejectsAnswer = Type.Object(
  {
    total: count('Rejects in the dataset.'),
    offset: count('Rejects before this page.'),
    rejects: Type.Array(reject, { description: 'In file order.' }),
  },
  { $id: 'RejectPage', description: 'A page of rejects.' },
)

export const healthAnswer = Type.Object(
  { status: Type.Literal('ok', { description: 'Always `ok`; otherwise the response is an error.' }) },
  { $id: 'Health', description: 'The service is healthy.' },
)

const uploadLinks = Type.Object(
  {
    self: link('The status.'),
    events: link('The status as server-sent events.'),
    receipt: orNull(Type.String({ format: 'uri-reference' }), 'The receipt of the dataset, once there is one.'),
  },
  { $id: 'UploadLinks', description: 'Related resources, as paths.' },
)

const uploadLine = {
  id: uploadId,
  createdAt: time('When its first byte arrived.'),
  updatedAt: time('When it last changed.'),
  expiresAt: orNull(Type.Integer(), 'When its status is deleted; null while it is in progress.'),
  phase: Type.Enum([...uploadPhases], {
    description:
      '`receiving` while bytes are missing; `reading` when all have arrived; `writing` ' +
      'while the dataset is made durable; then `done` or `failed`, or `expired` if the client did not continue.',
  }),
  idempotencyKey: orNull(Type.String(), 'As sent, without quotes; null if there was none.'),
  fileName: orNull(Type.String(), 'As sent; null until it has arrived.'),
  bytes: Type.Object(
    {
      received: count('Bytes that have arrived.'),
      expected: orNull(Type.Integer({ minimum: 0 }), 'Total; null if the client did not announce it.'),
    },
    { $id: 'UploadBytes', description: 'Bytes of what is sent: a form, or the file itself.' },
  ),
  records: orNull(records, 'The records read so far; null before the first.'),
  datasetId: orNull(Type.String(), 'The dataset, once the upload is done.'),
  outcome: orNull(Type.Enum([...uploadOutcomes]), 'The outcome as in the receipt, once the upload is done.'),
  error: orNull(errorRecord, 'Why the upload failed; `path` is the path of the upload.'),
  links: uploadLinks,
}

/** The progress of an upload. */
export const uploadStatusAnswer = Type.Object(
  {
    ...uploadLine,
    encoding: orNull(encoding, 'Null until the first megabyte has been read.'),
    dialect: orNull(dialect, 'Null until the first megabyte has been read.'),
    columns: orNull(
      Type.Array(Type.Object({ name: columnName, type: orNull(columnType, 'Null until it has been guessed.') })),
      'Columns so far. Later values may change a type until the upload is done.',
    ),
  },
  { $id: 'UploadStatus', description: 'The progress of an upload.' },
)

export const uploadsAnswer = Type.Object(
  {
    uploads: Type.Array(Type.Object(uploadLine, { $id: 'UploadLine', description: 'Summary of an upload.' }), {
      description: 'Newest first.',
    }),
    after,
  },
  { $id: 'UploadPage', description: 'A page of the list.' },
)

const packageResource = Type.Object(
  {
    name: Type.Enum(['data', 'original'], { description: 'The accepted records, or the file as received.' }),
    type: Type.Optional(Type.Literal('table', { description: 'It conforms to the schema.' })),
    path: Type.String({ description: 'Relative path of the file.' }),
    title: Type.Optional(Type.String({ description: 'The file name that the client sent.' })),
    format: Type.Literal('csv', { description: 'Always this value.' }),
    mediatype: Type.Literal('text/csv', { description: 'Always this value.' }),
    encoding: Type.String({ description: 'The character encoding.' }),
    compression: Type.Optional(Type.Enum(['gz', 'zst'], { description: 'How the original is compressed.' })),
    bytes: Type.Optional(count('Size in bytes.')),
    hash: Type.Optional(Type.String({ description: '`sha256:` and the SHA-256 of its bytes.' })),
    dialect: Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Dialect.' }),
    schema: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Schema of the columns.' }),
    ),
  },
  { $id: 'DataResource', description: 'A file of the package.' },
)

export const packageAnswer = Type.Object(
  {
    $schema: Type.String({ description: 'The profile of the specification.' }),
    id: datasetId,
    name: Type.String({ description: 'The file name, reduced to letters, digits and `.`, `_`, `-`.' }),
    title: Type.String({ description: 'The file name.' }),
    created: Type.String({ format: 'date-time', description: 'When the dataset was created.' }),
    resources: Type.Array(packageResource, { description: 'The records, and the original.' }),
  },
  { $id: 'DataPackage', description: 'A Frictionless Data Package, version 2.' },
)

export const copyKey = 'Columns that identify a row; for `upsert` only.'

export const copyAnswer = Type.Object(
  {
    to: Type.String({ description: 'Name of the target.' }),
    table: Type.String({ description: 'The table.' }),
    mode: oneOf(copyModes, 'How the table was written.'),
    key: Type.Array(Type.String(), { description: copyKey }),
    state: oneOf(copyStates, '`waiting` for its first or next try, `copying`, `done`, or `failed` for good.'),
    tries: count('Tries so far.'),
    records: orNull(count('Records.'), 'Number of records copied; null unless it is done.'),
    problem: orNull(Type.String(), 'Error of the last try; null if there was none.'),
    createdAt: time('When it was requested.'),
    updatedAt: time('When it last changed.'),
  },
  { $id: 'Copy', description: 'The copy of a dataset into a table.' },
)

export const copiesAnswer = Type.Object(
  {
    targets: Type.Array(Type.String(), { description: 'Names of all targets.' }),
    copies: Type.Array(copyAnswer, { description: 'The latest copy into each table, newest first.' }),
  },
  { $id: 'CopyList', description: 'The copies of a dataset.' },
)

// Response schemas: what each route gives, as TypeBox. The sources of both the description of the routes and the tests of them.
import Type from 'typebox'
import { noteCodes, noteLinesMax } from '../../core/notes.ts'
import { rejectReasons } from '../../core/receipt.ts'
import { count, dialect, encoding, orNull, tableSchema, time } from './shared-schemas.ts'

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the bytes, in lower-case hex.' })
const datasetId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'The dataset; made of its content.' })

/** The answer to everything that fails, on every route. */
export const errorRecord = Type.Object(
  {
    timestamp: time('When it failed.'),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The status of the answer.' }),
    error: Type.String({ description: 'The reason phrase of the status.' }),
    exception: Type.String({ description: 'The kind of failure: see the list of errors.' }),
    message: Type.String({ description: 'What was seen and what is wanted, for people.' }),
    path: Type.String({ description: 'The path that was asked for, as sent.' }),
  },
  { $id: 'ErrorRecord', description: 'Six fields; the connection is closed after them.' },
)

const file = Type.Object(
  {
    name: Type.String({ description: 'The last segment of the name the client gave.' }),
    bytes: count('Bytes of the file as received.'),
    sha256,
    contentType: orNull(Type.String(), 'The content type of the part, as sent.'),
  },
  { $id: 'File', description: 'The file as received.' },
)

const records = Type.Object(
  {
    total: count('The sum of the others.'),
    header: count('Header records.'),
    blank: count('Blank lines.'),
    skipped: count('Titles before the header, and comments.'),
    accepted: count('Records of the dataset.'),
    rejected: count('Records that could not be read.'),
  },
  { $id: 'RecordCounts', description: 'Every record of the file is in exactly one class.' },
)

const columnType = Type.String({
  description:
    '`integer`, `decimal(p,s)`, `number`, `boolean`, `date`, `time`, `timestamp`, `timestamptz` (an instant) or `text`.',
})
const columnName = Type.String({ description: 'Unique in the dataset.' })

const column = Type.Object(
  {
    name: columnName,
    type: columnType,
    nulls: count('Records without a value here.'),
    format: Type.Optional(
      Type.String({
        description: 'How the values are written where that is not the usual way: `1.234,56`, `DD/MM/YYYY`.',
      }),
    ),
    nullWords: Type.Optional(Type.Array(Type.String(), { description: 'Words that stand for no value here.' })),
    why: Type.String({ description: 'What decided the type.' }),
  },
  { $id: 'Column', description: 'A column and why it has its type.' },
)

const note = Type.Object(
  {
    code: Type.Enum([...noteCodes], { description: 'What the note is about. Branch on this.' }),
    message: Type.String({ description: 'A sentence for people.' }),
    lines: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: noteLinesMax,
        description: 'The first physical lines it is about.',
      }),
    ),
    column: Type.Optional(Type.String({ description: 'Name of the column it is about.' })),
  },
  { $id: 'Note', description: 'A doubt about how the file was read.' },
)

const reasonCounts = Type.Partial(
  Type.Object(Object.fromEntries(rejectReasons.map((reason) => [reason, count(`Records rejected as ${reason}.`)]))),
  { description: 'How many records each reason rejected; a reason that met none is absent.' },
)

const reject = Type.Object(
  {
    record: Type.Integer({ minimum: 1, description: 'Counted from 1 over all records of the file.' }),
    line: Type.Integer({ minimum: 1, description: 'The line it begins on, counted from 1.' }),
    byteOffset: count('Offset of its first byte in the original.'),
    byteLength: count('Its bytes, without the line end.'),
    column: orNull(Type.Integer({ minimum: 1 }), 'The field the reason is about, counted from 1.'),
    reason: Type.Enum([...rejectReasons], { description: 'What is wrong with it.' }),
    message: Type.String({ description: 'The same for people.' }),
    text: orNull(Type.String(), 'The record; null where its bytes are no text.'),
    base64: Type.Optional(Type.String({ description: 'Its bytes, where they are no text.' })),
    cut: Type.Optional(Type.Literal(true, { description: 'Only the beginning is shown.' })),
  },
  { $id: 'Reject', description: 'A record that could not be read, where it stands and why.' },
)

const part = Type.Object(
  {
    file: Type.String({ description: 'Path below the dataset.' }),
    bytes: count('Its size.'),
    records: count('Its records.'),
    sha256,
  },
  { $id: 'Part', description: 'A Parquet file of the dataset; parts are in file order.' },
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
    profile: link('What the columns are like.'),
    dataPackage: link('A Frictionless Data Package.'),
    readings: link('Where to ask for another reading.'),
    query: link('Where to ask with SQL.'),
  },
  { $id: 'Links', description: 'Where to go on, as paths.' },
)

const receiptFacts = {
  createdAt: time('When the dataset was made.'),
  file,
  encoding,
  dialect,
  schema: Type.Optional(tableSchema),
  records,
  columns: Type.Array(column, { description: 'In the order of the file.' }),
  rejects: Type.Object(
    {
      count: count('How many records were rejected.'),
      reasons: reasonCounts,
      first: Type.Array(reject, { maxItems: 20, description: 'The first of them.' }),
    },
    { description: 'What could not be read.' },
  ),
  parts: Type.Array(part, { description: 'In file order.' }),
  body: Type.Object(
    {
      byteOffset: count('Offset in the original of the first record behind the header.'),
      records: count('Records before it.'),
      lines: count('Lines before it.'),
      headerFields: orNull(Type.Array(Type.String()), 'The fields of the header as they stand in the file.'),
      recordBytesMax: Type.Optional(count('A record of more bytes than this was rejected; absent in old receipts.')),
    },
    { $id: 'DataStart', description: 'Where the data begin.' },
  ),
  evidence: Type.Optional(
    Type.Object(
      {
        encoding: Type.String({ description: 'Why it has this encoding.' }),
        dialect: Type.String({ description: 'Why it has this dialect.' }),
        header: Type.String({ description: 'Why the first record is a header, or is none.' }),
      },
      { description: 'Why the file is read as it is, a sentence each; absent in old receipts.' },
    ),
  ),
  notes: Type.Array(note, { description: 'Doubts a careful reader would raise.' }),
  links,
}

/** What a dataset is, of what, and how it was read. */
export const receiptAnswer = Type.Object(
  { id: datasetId, ...receiptFacts },
  { $id: 'Receipt', description: 'Accounts for every byte of a file.' },
)

/** The receipt, with what holds for this arrival alone. */
export const uploadAnswer = Type.Object(
  {
    id: datasetId,
    duplicate: Type.Boolean({ description: 'The dataset existed already: nothing new was kept.' }),
    upload: Type.Object(
      {
        id: Type.String({ description: 'UUID of this arrival; ids sort by time.' }),
        fileName: Type.String({
          description: 'As sent this time; `file.name` is that of the first time the same bytes came.',
        }),
        receivedAt: time('When its first byte came.'),
        durationMs: count('Milliseconds from then to the end of the work.'),
      },
      { description: 'This arrival.' },
    ),
    ...receiptFacts,
  },
  { $id: 'UploadReceipt', description: 'The receipt, and this arrival of the file.' },
)

const after = orNull(Type.String(), 'To be given as `after` for the next page; null on the last.')

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
            { count: count('How many records were rejected.'), reasons: reasonCounts },
            { description: 'What could not be read.' },
          ),
          links,
        },
        { $id: 'DatasetLine', description: 'A dataset in short.' },
      ),
      { description: 'Newest first.' },
    ),
    after,
  },
  { $id: 'DatasetPage', description: 'A page of the list.' },
)

/** A row of values: what JSON would bend (long integers, decimals, dates) is text. */
export const row = Type.Array(Type.Unknown(), {
  description: 'A value for each column: text, number, boolean or null.',
})

export const rowsAnswer = Type.Object(
  {
    columns: Type.Array(Type.Object({ name: columnName, type: columnType }), {
      description: 'In the order of the values in each row.',
    }),
    offset: count('Rows before this page.'),
    total: count('Rows of the dataset.'),
    rows: Type.Array(row, {
      description: 'In file order. Integers beyond 2^53, decimals, dates and times are text, so that no digit is lost.',
    }),
  },
  { $id: 'RowPage', description: 'A page of rows.' },
)

export const queryAnswer = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        name: Type.String({ description: 'As the statement names it; names may be the same.' }),
        type: Type.String({
          description: 'A type of the receipt, or one of DuckDB in lower case, such as `integer[]`.',
        }),
      }),
      { description: 'In the order of the values in each row.' },
    ),
    rows: Type.Array(row, {
      description: 'Values as on a page of rows; lists are arrays, structs objects, maps arrays of `key` and `value`.',
    }),
    truncated: Type.Boolean({ description: 'There are more rows than the limits let through.' }),
  },
  { $id: 'QueryResult', description: 'What a statement gives.' },
)

function measure(description: string) {
  return Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Null()], { description }))
}

const bins = Type.Object(
  {
    hist: Type.Array(count('Values in the bin.')),
    bin_edges: Type.Array(Type.Union([Type.Number(), Type.String()]), {
      description:
        'Where each bin begins, and where the last one ends. A value on an edge is in the bin that begins there.',
    }),
  },
  { description: 'How the values lie between the least and the greatest.' },
)
const proportion = Type.Number({ minimum: 0, maximum: 1, description: 'The same as a part of all records.' })

export const profileAnswer = Type.Object(
  {
    num_examples: count('Rows of the dataset.'),
    statistics: Type.Array(
      Type.Object(
        {
          column_name: columnName,
          column_type: Type.Enum(['int', 'float', 'bool', 'string_label', 'string_text', 'datetime'], {
            description:
              'What was measured: numbers, moments, the lengths of texts in characters (`string_text`), or how often each ' +
              'value stands there (`bool`, `string_label`: at most 30 different texts).',
          }),
          column_statistics: Type.Object(
            {
              nan_count: count('Rows without a value.'),
              nan_proportion: proportion,
              min: measure('The least value.'),
              max: measure('The greatest value.'),
              mean: measure('Their mean.'),
              median: measure('As many values are below it as above.'),
              std: measure('Their standard deviation.'),
              histogram: Type.Optional(
                Type.Union([bins, Type.Null()], {
                  description: 'How the values lie between the least and the greatest.',
                }),
              ),
              n_unique: Type.Optional(count('How many different values.')),
              q25: measure('A quarter of the values is below it.'),
              q75: measure('A quarter of the values is above it.'),
              approximate: Type.Optional(
                Type.Array(Type.String(), { description: 'Which of these are approximated, in large datasets.' }),
              ),
              no_label_count: Type.Optional(count('Always 0.')),
              no_label_proportion: Type.Optional(proportion),
              frequencies: Type.Optional(
                Type.Record(Type.String(), count('Rows with that value.'), { description: 'By value.' }),
              ),
            },
            {
              description: 'Null where no row has a value. Integers beyond 2^53, dates, times and durations are text.',
            },
          ),
        },
        { $id: 'ColumnStatistics', description: 'What the values of a column are like.' },
      ),
      { description: 'In column order.' },
    ),
    partial: Type.Literal(false, { description: 'It is of all rows.' }),
  },
  { $id: 'Profile', description: 'In the shape of the statistics of the Hugging Face dataset viewer.' },
)

const packageResource = Type.Object(
  {
    name: Type.Enum(['data', 'original'], { description: 'The accepted records, or the file as received.' }),
    type: Type.Optional(Type.Literal('table', { description: 'It can be read by the schema.' })),
    path: Type.String({ description: 'Where it is, from here.' }),
    title: Type.Optional(Type.String({ description: 'The name the client gave.' })),
    format: Type.Literal('csv', { description: 'Always this.' }),
    mediatype: Type.Literal('text/csv', { description: 'Always this.' }),
    encoding: Type.String({ description: 'How its bytes are read as characters.' }),
    bytes: Type.Optional(count('Its size.')),
    hash: Type.Optional(Type.String({ description: '`sha256:` and the SHA-256 of its bytes.' })),
    dialect: Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Dialect.' }),
    schema: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Schema, made of the columns.' }),
    ),
  },
  { $id: 'DataResource', description: 'A file of the package.' },
)

export const packageAnswer = Type.Object(
  {
    $schema: Type.String({ description: 'The version of the specification.' }),
    id: datasetId,
    name: Type.String({ description: 'The file name, in letters, digits and `.`, `_`, `-`.' }),
    title: Type.String({ description: 'The file name.' }),
    created: Type.String({ format: 'date-time', description: 'When the dataset was made.' }),
    resources: Type.Array(packageResource, { description: 'The records, and the original.' }),
  },
  { $id: 'DataPackage', description: 'A Frictionless Data Package, version 2.' },
)

export const rejectsAnswer = Type.Object(
  {
    total: count('Rejects of the dataset.'),
    offset: count('Rejects before this page.'),
    rejects: Type.Array(reject, { description: 'In file order.' }),
  },
  { $id: 'RejectPage', description: 'A page of rejects.' },
)

export const healthAnswer = Type.Object(
  { status: Type.Literal('ok', { description: 'Always this; a service that is not well answers with an error.' }) },
  { $id: 'Health', description: 'The service is well.' },
)

// Response schemas: what each route returns, as TypeBox. Both the description of the routes and its tests use them.
import Type from 'typebox'
import { noteCodes, noteLinesMax } from '../../core/notes.ts'
import { uploadOutcomes } from '../../core/receipt.ts'
import { evidence } from './evidence-schema.ts'
import { corrected, corrections, reasonCounts, reject } from './reject-schemas.ts'
import {
  compression,
  count,
  datasetId,
  dialect,
  encoding,
  oneOf,
  orNull,
  sha256,
  tableSchema,
  time,
} from './shared-schemas.ts'

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

export const records = Type.Object(
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
export const columnType = Type.String({ description: 'A type as in the receipt.' })
export const columnName = Type.String({ description: 'Unique in the dataset.' })

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

export function link(what: string) {
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

export const uploadId = Type.String({ description: 'UUID of this upload; ids sort by time.' })

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
      first: Type.Array(reject, { maxItems: 20, description: 'The first rejects.' }),
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
export const row = Type.Array(Type.Unknown(), {
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

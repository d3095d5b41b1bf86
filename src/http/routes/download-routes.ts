// Download routes: the original of a dataset, and its records and rejects in several formats, as files.
import { posix } from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { type ErrorCode, ServiceError } from '../../core/errors.ts'
import type { CompressionFormat, Receipt } from '../../core/receipt.ts'
import type { CsvOptions, DownloadForm } from '../../service/service.ts'
import { withExtension } from '../exchange/content-disposition.ts'
import { goneSignal } from '../exchange/send.ts'
import { type SavedAs, sendDownload } from '../exchange/send-download.ts'
import { bytes, header, noContent, type ResponseTable, textFile } from '../openapi/operation.ts'
import { annotatedQuery, csvQuery, partParams, rangeHeaders } from '../openapi/request-schemas.ts'
import { datasetRoute, type Route } from './route.ts'

const parquetType = 'application/vnd.apache.parquet'
const ndjsonType = 'application/x-ndjson'

const savedAs = { 'Content-Disposition': header('The file name to save it as.', 'attachment; filename="people.csv"') }
const someTag = '"01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"'
const acceptRanges = { 'Accept-Ranges': header('Byte ranges are supported.', 'bytes') }
const validators = {
  ETag: header('The SHA-256 of the whole file, in quotes.', someTag),
  'Repr-Digest': header(
    'The same digest in the format of RFC 9530.',
    'sha-256=:AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=:',
  ),
  ...acceptRanges,
}
const tag = { ETag: header('Identifies these bytes.', someTag), ...acceptRanges }
const contentRange = { 'Content-Range': header('The range of the bytes, and the total size.', 'bytes 0-9/92') }
const madeFailures = ['DISK_FULL', 'CONVERSION_FAILED'] as const
const isCut = 'An error after the first bytes cuts the connection.'

const compressedTypes: Readonly<Record<CompressionFormat, string>> = {
  gzip: 'application/gzip',
  zstd: 'application/zstd',
}

/** One download. The request has been checked against `querystring` and `params`. */
interface Row {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly params?: typeof partParams
  readonly querystring?: TSchema
  readonly answers: ResponseTable
  /** In addition to those of every dataset. */
  readonly failures?: readonly ErrorCode[]
  form(request: FastifyRequest): DownloadForm
  saved(receipt: Receipt, form: DownloadForm): SavedAs
}

/** By the path below a dataset, in the order of the docs. */
const rows: Readonly<Record<string, Row>> = {
  original: {
    operationId: 'getOriginal',
    summary: 'Download the file as received',
    description: 'Every byte, whole or one range. The `ETag` is the SHA-256 of the whole file and never changes.',
    answers: wholeOrPart('text/csv', ...Object.values(compressedTypes)),
    form: () => ({ kind: 'original' }),
    saved: ({ file: { name, compression }, encoding }) => ({
      contentType: compression ? compressedTypes[compression.format] : `text/csv;charset=${encoding.name}`,
      fileName: name,
    }),
  },
  'data.csv': {
    operationId: 'getCsv',
    summary: 'Download the accepted records as CSV',
    description: `The text of the file, unchanged, as RFC 4180: UTF-8, and commas unless you ask for another delimiter. ${isCut}`,
    querystring: csvQuery,
    answers: made(textFile, 'The records.', 'text/csv'),
    failures: madeFailures,
    form: ({ query }) => ({ kind: 'csv', ...csvOptions(query as Static<typeof csvQuery>) }),
    saved: ({ file, body }, form) => ({
      contentType: csvType((form.kind === 'csv' && form.header) || body.headerFields !== null),
      fileName: withExtension(file.name, 'csv'),
    }),
  },
  'data.ndjson': {
    operationId: 'getNdjson',
    summary: 'Download the accepted records as JSON lines',
    description: `One JSON object per line, in file order; members in column order, values as in \`rows\`. ${isCut}`,
    answers: made(bytes, 'The records.', ndjsonType),
    failures: madeFailures,
    form: () => ({ kind: 'ndjson' }),
    saved: ({ file }) => ndjson(withExtension(file.name, 'ndjson')),
  },
  'data.parquet': {
    operationId: 'getParquet',
    summary: 'Download the accepted records as Parquet',
    description:
      'One file, in file order, with the types of the receipt, whole or one range. The parts of a large dataset are joined ' +
      'as they are sent; the bytes are the same each time.',
    answers: { ...wholeOrPart(parquetType), 200: bytes('The records.', parquetType, savedAs) },
    failures: madeFailures,
    form: () => ({ kind: 'parquet' }),
    saved: ({ file }) => ({ contentType: parquetType, fileName: withExtension(file.name, 'parquet') }),
  },
  'parts/:index.parquet': {
    operationId: 'getPart',
    summary: 'Download one Parquet part of a dataset',
    description: 'One of the `parts` in the receipt, which are in file order. The `ETag` is its SHA-256.',
    params: partParams,
    answers: wholeOrPart(parquetType),
    failures: ['NOT_FOUND'],
    form: ({ params }) => ({ kind: 'part', index: (params as Static<typeof partParams>).index }),
    saved: ({ file, parts }, form) => ({
      contentType: parquetType,
      fileName: withExtension(file.name, posix.basename(parts[form.kind === 'part' ? form.index : 0]?.file ?? '')),
    }),
  },
  'rejects.csv': {
    operationId: 'getRejectsCsv',
    summary: 'Download all rejected records as CSV',
    description:
      'In file order: `record`, the whole record as `text`, or as `base64` if its bytes are not valid text in the ' +
      'encoding of the file, then `line`, `byteOffset`, `byteLength`, `column`, `reason` and `message`. ' +
      isCut,
    answers: made(textFile, 'The rejects.', 'text/csv'),
    failures: madeFailures,
    form: () => ({ kind: 'rejects' }),
    saved: ({ file }) => ({ contentType: csvType(true), fileName: withExtension(file.name, 'rejects.csv') }),
  },
  'annotated.csv': {
    operationId: 'getAnnotatedCsv',
    summary: 'Download the whole file as CSV, with a verdict on each record',
    description:
      'Every record in file order, for the sender of the file. The last column, `verdict`, is `accepted`, `rejected: ` ' +
      'and the reason, `blank`, or `skipped` for a comment. Accepted records and those that only break the schema have ' +
      'their fields; any other is the text of its first cell. The first line names the columns; if more than a header ' +
      'line precedes the records, its lines follow as `before the records`. Only an empty record that more than ' +
      `100,000 comments follow comes after them. ${isCut}`,
    querystring: annotatedQuery,
    answers: made(textFile, 'The records.', 'text/csv'),
    failures: madeFailures,
    form: ({ query }) => {
      const options = query as Static<typeof annotatedQuery>
      return { kind: 'annotated', ...csvOptions({ ...options, header: true, typed: false }) }
    },
    saved: ({ file }) => ({ contentType: csvType(true), fileName: withExtension(file.name, 'annotated.csv') }),
  },
  corrections: {
    operationId: 'getCorrections',
    summary: 'Download the corrections of a dataset',
    description:
      'One JSON object per line, in file order: the corrected reject, and the `text` that is read instead. ' +
      '`csv-upload verify` needs this file and the original. 404 if nothing was corrected.',
    answers: {
      200: bytes('The corrections.', ndjsonType, {
        'Content-Disposition': header('The file name to save it as.', 'attachment; filename="people.ndjson"'),
      }),
    },
    failures: ['NOT_FOUND'],
    form: () => ({ kind: 'corrections' }),
    saved: ({ file }) => ndjson(withExtension(file.name, 'corrections.ndjson')),
  },
}

export const downloadRoutes: readonly Route[] = Object.entries(rows).map(([path, { form, saved, ...row }]) =>
  datasetRoute({
    ...row,
    method: 'GET',
    path: `/${path}`,
    tag: 'downloads',
    ...('206' in row.answers && { requestHeaders: rangeHeaders }),
    handler: async (request, reply, { writeIdleMs }) => {
      const wanted = form(request)
      const gone = goneSignal(reply.raw)
      const download = await request.service.download(request.params.id, wanted, gone)
      return sendDownload(request, reply, download, saved(download.receipt, wanted), writeIdleMs, gone)
    },
  }),
)

function ndjson(fileName: string): SavedAs {
  return { contentType: `${ndjsonType};charset=UTF-8`, fileName }
}

function csvOptions({ header, spreadsheet, delimiter, typed }: Static<typeof csvQuery>): CsvOptions {
  if (typed && spreadsheet !== 'false') {
    const expected = "either this or 'spreadsheet': spreadsheets get the text of the file"
    throw new ServiceError('BAD_PARAMETER', { name: 'typed', seen: "it is true beside 'spreadsheet'", expected })
  }
  return {
    header,
    spreadsheet: ({ false: 'no', true: 'escaped', excel: 'excel' } as const)[spreadsheet],
    delimiter: delimiter === 'tab' ? '\t' : delimiter,
    typed,
  }
}

/** RFC 4180 section 3. */
function csvType(hasHeader: boolean): string {
  return `text/csv;charset=UTF-8;header=${hasHeader ? 'present' : 'absent'}`
}

/** ResponseTable for a file that never changes. */
function wholeOrPart(...mediaTypes: readonly string[]) {
  return {
    200: bytes('The whole file.', mediaTypes, savedAs, validators),
    206: bytes('The requested range.', mediaTypes, savedAs, validators, contentRange),
    304: noContent('The client already has this file.', validators),
  }
}

/** ResponseTable for a file that is made while it is sent. `HEAD` finds out its length, as does a request for a range. */
function made(file: typeof bytes | typeof textFile, description: string, mediaType: string) {
  return {
    200: file(description, mediaType, savedAs, tag),
    206: file('The requested range.', mediaType, savedAs, tag, contentRange),
    304: noContent('The client already has this file.', tag),
  }
}

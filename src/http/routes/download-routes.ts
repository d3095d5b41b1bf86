// Download routes: the original of a dataset, and its records and rejects in several formats, as files.
import { posix } from 'node:path'
import type { Static } from 'typebox'
import { ServiceError } from '../../core/errors.ts'
import type { CompressionFormat } from '../../core/receipt.ts'
import type { CsvOptions } from '../../service/service.ts'
import type { App } from '../app.ts'
import { withExtension } from '../exchange/content-disposition.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import { goneSignal } from '../exchange/send.ts'
import { sendDownload } from '../exchange/send-download.ts'
import { bytes, failures, header, noContent, textFile } from '../openapi/operation.ts'
import { csvQuery, datasetParams, noQuery, partParams, rangeHeaders } from '../openapi/request-schemas.ts'

interface DownloadOptions {
  readonly writeIdleMs: number
}

const get = ['GET', 'HEAD']
const parquetType = 'application/vnd.apache.parquet'
const ndjsonType = 'application/x-ndjson'

const savedAs = { 'Content-Disposition': header('The file name to save it as.', 'attachment; filename="people.csv"') }
const validators = {
  ETag: header(
    'The SHA-256 of the whole file, in quotes.',
    '"01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"',
  ),
  'Repr-Digest': header(
    'The same digest in the format of RFC 9530.',
    'sha-256=:AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=:',
  ),
  'Accept-Ranges': header('Byte ranges are supported.', 'bytes'),
}
const fileFailures = ['DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED'] as const
const madeFailures = [...fileFailures, 'DISK_FULL', 'CONVERSION_FAILED'] as const
const isCut = 'An error after the first bytes cuts the connection.'

export function addDownloadRoutes(app: App, options: DownloadOptions): void {
  addOriginal(app, options)
  addCsv(app, options)
  addNdjson(app, options)
  addParquet(app, options)
  addPart(app, options)
  addRejectsCsv(app, options)
}

function addOriginal(app: App, { writeIdleMs }: DownloadOptions): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/original`,
    schema: {
      operationId: 'getOriginal',
      tags: ['downloads'],
      summary: 'Download the file as received',
      description: 'Every byte, whole or one range. The `ETag` is the SHA-256 of the whole file and never changes.',
      params: datasetParams,
      querystring: noQuery,
      requestHeaders: rangeHeaders,
      response: {
        ...wholeOrPart('text/csv', ...Object.values(compressedTypes)),
        ...failures(...fileFailures, 'RANGE_NOT_SATISFIABLE', 'PRECONDITION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await request.service.original(request.params.id)
      const { file, encoding } = download.receipt
      const { name, compression } = file
      const contentType = compression ? compressedTypes[compression.format] : `text/csv;charset=${encoding.name}`
      const saved = { contentType, fileName: name }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
}

function addCsv(app: App, { writeIdleMs }: DownloadOptions): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.csv`,
    schema: {
      operationId: 'getCsv',
      tags: ['downloads'],
      summary: 'Download the accepted records as CSV',
      description: `The text of the file, unchanged, as RFC 4180: UTF-8, and commas unless you ask for another delimiter. ${isCut}`,
      params: datasetParams,
      querystring: csvQuery,
      response: { 200: textFile('The records.', 'text/csv', savedAs), ...failures(...fileFailures) },
    },
    handler: async (request, reply) => {
      const download = await request.service.csv(request.params.id, csvOptions(request.query))
      const { body, file } = download.receipt
      const hasHeader = request.query.header || body.headerFields !== null
      const saved = { contentType: csvType(hasHeader), fileName: withExtension(file.name, 'csv') }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
}

function addNdjson(app: App, { writeIdleMs }: DownloadOptions): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.ndjson`,
    schema: {
      operationId: 'getNdjson',
      tags: ['downloads'],
      summary: 'Download the accepted records as JSON lines',
      description: `One JSON object per line, in file order; members in column order, values as in \`rows\`. ${isCut}`,
      params: datasetParams,
      querystring: noQuery,
      response: { 200: bytes('The records.', ndjsonType, savedAs), ...failures(...madeFailures) },
    },
    handler: async (request, reply) => {
      const download = await request.service.ndjson(request.params.id)
      const fileName = withExtension(download.receipt.file.name, 'ndjson')
      return sendDownload(
        request,
        reply,
        download,
        { contentType: `${ndjsonType};charset=UTF-8`, fileName },
        writeIdleMs,
      )
    },
  })
}

function addParquet(app: App, { writeIdleMs }: DownloadOptions): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.parquet`,
    schema: {
      operationId: 'getParquet',
      tags: ['downloads'],
      summary: 'Download the accepted records as Parquet',
      description:
        'One file, in file order, with the types of the receipt, whole or one range. The first request merges the parts ' +
        'of a large dataset, and the merged file is kept. A file larger than `--merged-size-max` has no `ETag` and no ' +
        'ranges.',
      params: datasetParams,
      querystring: noQuery,
      requestHeaders: rangeHeaders,
      response: {
        ...wholeOrPart(parquetType),
        200: bytes('The records.', parquetType, savedAs),
        ...failures(...madeFailures, 'RANGE_NOT_SATISFIABLE', 'PRECONDITION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await request.service.parquet(request.params.id, goneSignal(reply.raw))
      const saved = { contentType: parquetType, fileName: withExtension(download.receipt.file.name, 'parquet') }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
}

function addPart(app: App, { writeIdleMs }: DownloadOptions): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/parts/:index.parquet`,
    schema: {
      operationId: 'getPart',
      tags: ['downloads'],
      summary: 'Download one Parquet part of a dataset',
      description: 'One of the `parts` in the receipt, which are in file order. The `ETag` is its SHA-256.',
      params: partParams,
      querystring: noQuery,
      requestHeaders: rangeHeaders,
      response: {
        ...wholeOrPart(parquetType),
        ...failures(...fileFailures, 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'PRECONDITION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const { id, index } = request.params
      const download = await request.service.part(id, index)
      const { file, parts } = download.receipt
      const fileName = withExtension(file.name, posix.basename(parts[index]?.file ?? ''))
      return sendDownload(request, reply, download, { contentType: parquetType, fileName }, writeIdleMs)
    },
  })
}

function addRejectsCsv(app: App, { writeIdleMs }: DownloadOptions): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/rejects.csv`,
    schema: {
      operationId: 'getRejectsCsv',
      tags: ['downloads'],
      summary: 'Download all rejected records as CSV',
      description:
        'In file order, with the columns `record`, `line`, `byteOffset`, `byteLength`, `column`, `reason`, `message`, ' +
        'and the whole record as `text`, or as `base64` if its bytes are not valid text in the encoding of the file. ' +
        isCut,
      params: datasetParams,
      querystring: noQuery,
      response: { 200: textFile('The rejects.', 'text/csv', savedAs), ...failures(...madeFailures) },
    },
    handler: async (request, reply) => {
      const download = await request.service.rejectsCsv(request.params.id)
      const saved = { contentType: csvType(true), fileName: withExtension(download.receipt.file.name, 'rejects.csv') }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
}

/** Media types of originals that arrived compressed. */
const compressedTypes: Readonly<Record<CompressionFormat, string>> = {
  gzip: 'application/gzip',
  zstd: 'application/zstd',
}

function csvOptions({ header, spreadsheet, delimiter, typed }: Static<typeof csvQuery>): CsvOptions {
  if (typed && spreadsheet !== 'false') {
    const wanted = "either this or 'spreadsheet': spreadsheets get the text of the file"
    throw new ServiceError('BAD_PARAMETER', { name: 'typed', seen: "it is true beside 'spreadsheet'", wanted })
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

/** Answers for a file that never changes. */
function wholeOrPart(...mediaTypes: readonly string[]) {
  const contentRange = { 'Content-Range': header('The range of the bytes, and the total size.', 'bytes 0-9/92') }
  return {
    200: bytes('The whole file.', mediaTypes, savedAs, validators),
    206: bytes('The requested range.', mediaTypes, savedAs, validators, contentRange),
    304: noContent('The client already has this file.', validators),
  }
}

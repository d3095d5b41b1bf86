// Download routes: the original of a dataset, and its records and rejects in several forms, as files to be saved.
import { posix } from 'node:path'
import type { App } from '../app.ts'
import { withExtension } from '../exchange/content-disposition.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import { sendDownload } from '../exchange/send-download.ts'
import { bytes, failures, header, noContent } from '../openapi/operation.ts'
import { csvQuery, datasetParams, noQuery, partParams, rangeHeaders } from '../openapi/request-schemas.ts'

const get = ['GET', 'HEAD']
const parquetType = 'application/vnd.apache.parquet'

const savedAs = { 'Content-Disposition': header('The name to save it under.', 'attachment; filename="people.csv"') }
const validators = {
  ETag: header(
    'The SHA-256 of the whole file, in quotes.',
    '"01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"',
  ),
  'Repr-Digest': header('The same as RFC 9530 wants it.', 'sha-256=:AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=:'),
  'Accept-Ranges': header('Ranges of bytes can be asked for.', 'bytes'),
}
const madeFailures = ['DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED'] as const
const isCut = 'The end of the chunked body tells that it is whole: what goes wrong meanwhile cuts the connection.'

export function addDownloadRoutes(app: App, { writeIdleMs }: { readonly writeIdleMs: number }): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/original`,
    schema: {
      operationId: 'getOriginal',
      tags: ['downloads'],
      summary: 'The file as received',
      description: 'Every byte of it, whole or one range. Its `ETag` is the SHA-256 of the whole, and never changes.',
      params: datasetParams,
      querystring: noQuery,
      requestHeaders: rangeHeaders,
      response: { ...wholeOrPart('text/csv'), ...failures(...madeFailures, 'RANGE_NOT_SATISFIABLE') },
    },
    handler: async (request, reply) => {
      const download = await request.service.original(request.params.id)
      const { file, encoding } = download.receipt
      const saved = { contentType: `text/csv;charset=${encoding.name}`, fileName: file.name }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.csv`,
    schema: {
      operationId: 'getCsv',
      tags: ['downloads'],
      summary: 'The accepted records as CSV',
      description: `As text, unchanged, in RFC 4180: UTF-8, commas, and a header line where the file has one. ${isCut}`,
      params: datasetParams,
      querystring: csvQuery,
      response: { 200: bytes('The records.', 'text/csv', savedAs), ...failures(...madeFailures) },
    },
    handler: async (request, reply) => {
      const download = await request.service.csv(request.params.id, request.query)
      const { body, file } = download.receipt
      const hasHeader = request.query.header || body.headerFields !== null
      const saved = { contentType: csvType(hasHeader), fileName: withExtension(file.name, 'csv') }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.ndjson`,
    schema: {
      operationId: 'getNdjson',
      tags: ['downloads'],
      summary: 'The accepted records as JSON lines',
      description: `One object a line with its members in column order and values as in \`rows\`, in file order. ${isCut}`,
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: bytes('The records.', 'application/x-ndjson', savedAs),
        ...failures(...madeFailures, 'DISK_FULL', 'CONVERSION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await request.service.ndjson(request.params.id)
      const fileName = withExtension(download.receipt.file.name, 'ndjson')
      const saved = { contentType: 'application/x-ndjson;charset=UTF-8', fileName }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.parquet`,
    schema: {
      operationId: 'getParquet',
      tags: ['downloads'],
      summary: 'The accepted records as Parquet',
      description:
        'One file with the types that the receipt names, in file order. Where the dataset is kept as one part, it is ' +
        'that part, with an `ETag`, and in ranges too.',
      params: datasetParams,
      querystring: noQuery,
      requestHeaders: rangeHeaders,
      response: {
        ...wholeOrPart(parquetType),
        200: bytes('The records.', parquetType, savedAs),
        ...failures(...madeFailures, 'RANGE_NOT_SATISFIABLE', 'DISK_FULL', 'CONVERSION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await request.service.parquet(request.params.id)
      const saved = { contentType: parquetType, fileName: withExtension(download.receipt.file.name, 'parquet') }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/parts/:index.parquet`,
    schema: {
      operationId: 'getPart',
      tags: ['downloads'],
      summary: 'One Parquet part of a dataset',
      description: 'As the receipt lists it among its `parts`, which are in file order. Its `ETag` is its SHA-256.',
      params: partParams,
      querystring: noQuery,
      requestHeaders: rangeHeaders,
      response: { ...wholeOrPart(parquetType), ...failures(...madeFailures, 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE') },
    },
    handler: async (request, reply) => {
      const { id, index } = request.params
      const download = await request.service.part(id, index)
      const { file, parts } = download.receipt
      const fileName = withExtension(file.name, posix.basename(parts[index]?.file ?? ''))
      return sendDownload(request, reply, download, { contentType: parquetType, fileName }, writeIdleMs)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/rejects.csv`,
    schema: {
      operationId: 'getRejectsCsv',
      tags: ['downloads'],
      summary: 'All rejected records as CSV',
      description:
        'In file order, with a header line: `record`, `line`, `byteOffset`, `byteLength`, `column`, `reason`, ' +
        '`message`, and the whole record as `text`, or as `base64` where its bytes are no text in the encoding of the ' +
        `file. ${isCut}`,
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: bytes('The rejects.', 'text/csv', savedAs),
        ...failures(...madeFailures, 'DISK_FULL', 'CONVERSION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await request.service.rejectsCsv(request.params.id)
      const saved = { contentType: csvType(true), fileName: withExtension(download.receipt.file.name, 'rejects.csv') }
      return sendDownload(request, reply, download, saved, writeIdleMs)
    },
  })
}

/** RFC 4180 section 3. */
function csvType(hasHeader: boolean): string {
  return `text/csv;charset=UTF-8;header=${hasHeader ? 'present' : 'absent'}`
}

/** Answers of a file that never changes. */
function wholeOrPart(mediaType: string) {
  return {
    200: bytes('The whole file.', mediaType, savedAs, validators),
    206: bytes('The range asked for.', mediaType, savedAs, validators, {
      'Content-Range': header('Which bytes these are, of how many.', 'bytes 0-9/92'),
    }),
    304: noContent('The client has it already.', validators),
  }
}

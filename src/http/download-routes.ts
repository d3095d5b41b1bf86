// Download routes: the original, the CSV and the Parquet of a dataset, as files to be saved.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../core/errors.ts'
import type { ByteRange, Download, Service } from '../service/service.ts'
import type { App } from './app.ts'
import { hasEntity, readRange } from './byte-range.ts'
import { attachment, withExtension } from './content-disposition.ts'
import { bytes, failures, header, noContent } from './operation.ts'
import { datasetsPath } from './receipt-json.ts'
import { csvQuery, datasetParams, noQuery, originalHeaders } from './schemas.ts'
import { goneSignal, sendStream } from './send.ts'

const get = ['GET', 'HEAD']

const savedAs = { 'Content-Disposition': header('The name to save it under.', 'attachment; filename="people.csv"') }
const validators = {
  ETag: header(
    'The SHA-256 of the whole file, in quotes.',
    '"01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b"',
  ),
  'Repr-Digest': header('The same as RFC 9530 wants it.', 'sha-256=:AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=:'),
  'Accept-Ranges': header('Ranges of bytes can be asked for.', 'bytes'),
}

export function addDownloadRoutes(app: App, service: Service, options: { readonly writeIdleMs: number }): void {
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
      requestHeaders: originalHeaders,
      response: {
        200: bytes('The whole file.', 'text/csv', savedAs, validators),
        206: bytes('The range asked for.', 'text/csv', savedAs, validators, {
          'Content-Range': header('Which bytes these are, of how many.', 'bytes 0-9/92'),
        }),
        304: noContent('The client has it already.', validators),
        ...failures('DATASET_NOT_FOUND', 'BAD_PARAMETER', 'RANGE_NOT_SATISFIABLE', 'STORE_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await service.original(request.params.id)
      const { file, encoding } = download.receipt
      describe(reply, `text/csv;charset=${encoding.name}`, file.name)
      return sendOriginal(request, reply, download)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.csv`,
    schema: {
      operationId: 'getCsv',
      tags: ['downloads'],
      summary: 'The accepted records as CSV',
      description:
        'As text, unchanged, in RFC 4180: UTF-8, commas, and a header line where the file has one. The end of the ' +
        'chunked body tells that it is whole.',
      params: datasetParams,
      querystring: csvQuery,
      response: {
        200: bytes('The records.', 'text/csv', savedAs),
        ...failures('DATASET_NOT_FOUND', 'BAD_PARAMETER', 'STORE_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await service.csv(request.params.id, request.query)
      describe(reply, 'text/csv;charset=UTF-8', withExtension(download.receipt.file.name, 'csv'))
      return sendDownload(request, reply, download)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.parquet`,
    schema: {
      operationId: 'getParquet',
      tags: ['downloads'],
      summary: 'The accepted records as Parquet',
      description: 'One file with the types that the receipt names, in file order.',
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: bytes('The records.', 'application/vnd.apache.parquet', savedAs),
        ...failures('DATASET_NOT_FOUND', 'BAD_PARAMETER', 'DISK_FULL', 'STORE_FAILED', 'CONVERSION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const download = await service.parquet(request.params.id)
      describe(reply, 'application/vnd.apache.parquet', withExtension(download.receipt.file.name, 'parquet'))
      return sendDownload(request, reply, download)
    },
  })

  /** The bytes as received, whole or in part; its validator is their SHA-256. */
  function sendOriginal(request: FastifyRequest, reply: FastifyReply, download: Download) {
    const { bytes, sha256 } = download.receipt.file
    const etag = `"${sha256}"`
    reply.headers({
      etag,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    })
    const { 'if-none-match': known, 'if-range': expected, range: wanted } = request.headers
    if (hasEntity(known, etag)) return reply.code(304).send()
    // A Range counts only for GET, and with If-Range only while the file is the one the client has begun.
    const isPartial = request.method === 'GET' && (expected === undefined || expected === etag)
    const range = isPartial ? readRange(wanted, bytes) : null
    if (range === 'unsatisfiable') throw new ServiceError('RANGE_NOT_SATISFIABLE', { bytes })
    if (range === null) return sendDownload(request, reply, download)
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end - 1}/${bytes}`)
    return sendDownload(request, reply, download, range)
  }

  async function sendDownload(request: FastifyRequest, reply: FastifyReply, download: Download, range?: ByteRange) {
    if (request.method === 'HEAD') {
      if (download.bytes !== null) reply.header('content-length', download.bytes)
      return reply.send()
    }
    const { stream, bytes } = await download.open(goneSignal(reply.raw), range)
    return sendStream(reply, stream, bytes, options.writeIdleMs)
  }
}

/** What keeps a hostile file from being anything but saved: a browser neither guesses its type nor runs it. */
function describe(reply: FastifyReply, contentType: string, fileName: string): void {
  reply.headers({
    'content-type': contentType,
    'content-disposition': attachment(fileName),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  })
}

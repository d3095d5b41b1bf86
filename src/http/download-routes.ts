// Download routes: the original, the CSV and the Parquet of a dataset, as files to be saved.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../core/errors.ts'
import type { ByteRange, Download, Service } from '../service/service.ts'
import type { App } from './app.ts'
import { hasEntity, readRange } from './byte-range.ts'
import { attachment, withExtension } from './content-disposition.ts'
import { datasetsPath } from './receipt-json.ts'
import { csvQuery, datasetParams, noQuery } from './schemas.ts'
import { goneSignal, sendStream } from './send.ts'

const get = ['GET', 'HEAD']

export function addDownloadRoutes(app: App, service: Service, options: { readonly writeIdleMs: number }): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/original`,
    schema: { params: datasetParams, querystring: noQuery },
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
    schema: { params: datasetParams, querystring: csvQuery },
    handler: async (request, reply) => {
      const download = await service.csv(request.params.id, request.query)
      describe(reply, 'text/csv;charset=UTF-8', withExtension(download.receipt.file.name, 'csv'))
      return sendDownload(request, reply, download)
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/data.parquet`,
    schema: { params: datasetParams, querystring: noQuery },
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
    'content-security-policy': "default-src 'none'; sandbox",
  })
}

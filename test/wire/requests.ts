// Requests: builds raw requests, so that a test shows only what is special about its own.

export const uploadPath = '/qas/uploadCsv'
const boundary = 'BnD'

export interface RequestParts {
  readonly method?: string
  readonly path?: string
  readonly version?: string
  /** Header lines; one with the name of a standard line replaces it. */
  readonly headers?: readonly string[]
  /** Names of standard header lines to omit. */
  readonly without?: readonly string[]
  readonly body?: string | Buffer
}

/** A multipart body with one file. */
export function fileBody(content: string | Buffer = 'id,name\r\n1,Anna\r\n', name = 'file'): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.csv"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)])
}

/** A request as bytes: by default a valid upload with Host, Content-Type and Content-Length. */
export function rawRequest(parts: RequestParts = {}): Buffer {
  const { method = 'POST', path = uploadPath, version = 'HTTP/1.1', headers = [], without = [] } = parts
  const body = Buffer.from(parts.body ?? fileBody())
  const given = headers.map((line) => lineName(line))
  const standard = [
    'Host: 127.0.0.1',
    `Content-Type: multipart/form-data; boundary=${boundary}`,
    `Content-Length: ${body.length}`,
  ].filter((line) => !given.includes(lineName(line)) && !without.includes(lineName(line)))
  const head = [`${method} ${path} ${version}`, ...standard, ...headers].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body])
}

/** A request without a body. */
export function bareRequest(method: string, path: string, headers: readonly string[] = []): Buffer {
  return rawRequest({ method, path, headers, body: '', without: ['content-type', 'content-length'] })
}

/** A body in the chunked coding. */
export function chunked(body: Buffer, chunkBytes = 50): Buffer {
  const pieces: Buffer[] = []
  for (let start = 0; start < body.length; start += chunkBytes) {
    const piece = body.subarray(start, start + chunkBytes)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

function lineName(line: string): string {
  return line.slice(0, line.indexOf(':')).toLowerCase()
}

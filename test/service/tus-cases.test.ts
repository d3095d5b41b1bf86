// Tests of tus cases: the requirements of tusd's acceptance tests, as a table, but for those that are tested with
// resumable uploads. If the service differs, the row says why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../support/client.ts'
import { patch, tus, tusBytes } from '../support/resumable.ts'
import { ownService } from '../support/shared-service.ts'

const { client } = await ownService(['--allow-origin', 'https://tus.example'])
const content = 'id,name\n1,Ada\n2,Alan\n'
const bytes = content.length
const uploads = '/qas/uploads'
const nowhere = `${uploads}/00000000-0000-7000-8000-000000000000`
const metadata = `filename ${Buffer.from('a.csv').toString('base64')},empty`

interface Case {
  /** Describes the test of tusd, in terms of the protocol. */
  readonly what: string
  /** An existing upload of this length (null: deferred), with these bytes sent. */
  readonly begun?: { readonly bytes: number | null; readonly sent?: string }
  readonly method: string
  /** Default: the path of the upload, or the path where uploads are created. */
  readonly path?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** Values of response headers, or patterns; null if absent. */
  readonly answers?: Readonly<Record<string, string | RegExp | null>>
  /** What tusd returns, and why the service does not. */
  readonly differs?: string
}

const at = (offset: number, other: Readonly<Record<string, string>> = {}) => ({
  ...tusBytes,
  'upload-offset': String(offset),
  ...other,
})
const sized = (length: string, other: Readonly<Record<string, string>> = {}) => ({
  ...tus,
  'upload-length': length,
  ...other,
})

const cases: readonly Case[] = [
  {
    what: 'OPTIONS: version, extensions and the largest size, without Tus-Resumable in the request',
    method: 'OPTIONS',
    headers: {},
    status: 204,
    answers: {
      'tus-version': '1.0.0',
      'tus-extension': /\bcreation\b.*\bcreation-with-upload\b.*\btermination\b/,
      'tus-max-size': /^\d+$/,
      'tus-checksum-algorithm': /\bsha1\b/,
    },
    differs: '200; both are allowed',
  },
  {
    what: 'HEAD: offset, length, metadata, and nothing is cached',
    begun: { bytes, sent: content.slice(0, 9) },
    method: 'HEAD',
    headers: tus,
    status: 200,
    answers: {
      'upload-offset': '9',
      'upload-length': String(bytes),
      'upload-metadata': metadata,
      'upload-defer-length': null,
      'cache-control': 'no-store',
      // What is never stored is not compared.
      etag: null,
      'tus-resumable': '1.0.0',
    },
  },
  {
    what: 'HEAD of a finished upload: metadata, too',
    begun: { bytes, sent: content },
    method: 'HEAD',
    headers: tus,
    status: 200,
    answers: { 'upload-offset': String(bytes), 'upload-length': String(bytes), 'upload-metadata': metadata },
  },
  { what: 'HEAD of no upload', method: 'HEAD', path: nowhere, headers: tus, status: 404 },
  {
    what: 'HEAD of an upload whose length is not known',
    begun: { bytes: null },
    method: 'HEAD',
    headers: tus,
    status: 200,
    answers: { 'upload-offset': '0', 'upload-defer-length': '1', 'upload-length': null },
  },
  {
    what: 'PATCH of a part',
    begun: { bytes, sent: content.slice(0, 5) },
    method: 'PATCH',
    headers: at(5),
    body: content.slice(5, 9),
    status: 204,
    answers: { 'upload-offset': '9', 'tus-resumable': '1.0.0', 'content-location': null },
  },
  {
    what: 'PATCH of nothing to a finished upload',
    begun: { bytes, sent: content },
    method: 'PATCH',
    headers: at(bytes),
    body: '',
    status: 204,
    answers: { 'upload-offset': String(bytes) },
  },
  {
    what: 'PATCH of another type',
    begun: { bytes },
    method: 'PATCH',
    headers: at(0, { 'content-type': 'application/fail' }),
    body: 'x',
    status: 415,
    answers: { 'accept-patch': 'application/offset+octet-stream' },
    differs: '400; the protocol says 415',
  },
  {
    what: 'PATCH of coded bytes',
    begun: { bytes },
    method: 'PATCH',
    headers: at(0, { 'content-encoding': 'gzip' }),
    body: 'x',
    status: 415,
    answers: { 'accept-patch': 'application/offset+octet-stream', 'accept-encoding': 'identity' },
  },
  {
    what: 'OPTIONS of one upload',
    begun: { bytes },
    method: 'OPTIONS',
    headers: {},
    status: 204,
    answers: { 'accept-patch': 'application/offset+octet-stream', 'tus-version': '1.0.0' },
  },
  {
    what: 'PATCH that declares the length after the last bytes',
    begun: { bytes: null, sent: content },
    method: 'PATCH',
    headers: at(bytes, { 'upload-length': String(bytes) }),
    body: '',
    status: 204,
    answers: { 'upload-offset': String(bytes), 'content-location': /^\/qas\/datasets\// },
  },
  {
    what: 'PATCH that declares the length before the last bytes',
    begun: { bytes: null, sent: content.slice(0, 5) },
    method: 'PATCH',
    headers: at(5, { 'upload-length': String(bytes) }),
    body: content.slice(5, 9),
    status: 204,
    answers: { 'upload-offset': '9', 'content-location': null },
  },
  {
    what: 'POST: a URL of this origin, whatever proxies claim',
    method: 'POST',
    headers: sized('300', { 'upload-metadata': metadata, 'x-forwarded-host': 'foo.com', 'x-forwarded-proto': 'https' }),
    status: 201,
    answers: { location: /^\/qas\/uploads\/[0-9a-f-]{36}$/, 'tus-resumable': '1.0.0', 'upload-expires': / GMT$/ },
    differs: 'a whole URL, made of X-Forwarded-Host and Forwarded where that is allowed; a path needs neither',
  },
  {
    what: 'POST with a deferred length that is not 1',
    method: 'POST',
    headers: { ...tus, 'upload-defer-length': 'bad' },
    status: 400,
  },
  {
    what: 'POST with the first bytes',
    method: 'POST',
    headers: { ...tusBytes, 'upload-length': '300' },
    body: content,
    status: 201,
    answers: { 'upload-offset': String(bytes), location: /^\/qas\/uploads\// },
  },
  {
    what: 'POST with more bytes than its length',
    method: 'POST',
    headers: { ...tusBytes, 'upload-length': '10' },
    body: content,
    status: 400,
    differs: '413, as for PATCH',
  },
  {
    what: 'POST with bytes of another type',
    method: 'POST',
    headers: { ...tusBytes, 'upload-length': '300', 'content-type': 'application/false' },
    body: content,
    status: 415,
    differs: '201 with no byte taken; a client that meant to send them learns it here immediately',
  },
  {
    what: 'POST of a part of a concatenation',
    method: 'POST',
    headers: sized('300', { 'upload-concat': 'partial' }),
    status: 400,
    differs: '201; the extension is not offered',
  },
  {
    what: 'DELETE',
    begun: { bytes },
    method: 'DELETE',
    headers: tus,
    status: 204,
    answers: { 'tus-resumable': '1.0.0' },
  },
  {
    what: 'OPTIONS, and POST without another method in its header',
    begun: { bytes },
    method: 'POST',
    headers: tus,
    status: 405,
    answers: { allow: 'GET, DELETE, PATCH, HEAD, OPTIONS' },
  },
  { what: 'DELETE of no upload', method: 'DELETE', path: nowhere, headers: tus, status: 404 },
  {
    what: 'a preflight of an allowed origin',
    begun: { bytes },
    method: 'OPTIONS',
    headers: {
      origin: 'https://tus.example',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'tus-resumable,upload-offset,content-type',
    },
    status: 204,
    answers: {
      'access-control-allow-origin': 'https://tus.example',
      'access-control-allow-methods': /\bPATCH\b/,
      'access-control-allow-headers': /\bupload-offset\b/i,
    },
  },
  {
    what: 'a response to an allowed origin exposes the headers that clients need',
    begun: { bytes },
    method: 'HEAD',
    headers: { ...tus, origin: 'https://tus.example' },
    status: 200,
    answers: {
      'access-control-allow-origin': 'https://tus.example',
      'access-control-expose-headers': /\bupload-offset\b.*/i,
      vary: /\borigin\b/i,
    },
  },
  {
    what: 'a response to another origin does not name it',
    begun: { bytes },
    method: 'HEAD',
    headers: { ...tus, origin: 'https://other.example' },
    status: 200,
    answers: { 'access-control-allow-origin': null },
  },
]

for (const { what, begun, method, path, headers, body, status, answers = {}, differs } of cases) {
  test(`tusd: ${what}${differs === undefined ? '' : `; there ${differs}`}`, async () => {
    let target = path ?? uploads
    if (begun !== undefined) {
      target = await createWith(begun.bytes)
      if (begun.sent !== undefined) {
        const sent = await patch(client, target, 0, begun.sent)
        assert.equal(sent.status, 204, sent.body.toString())
      }
    }
    const length = body === undefined ? { 'content-length': 0 } : {}
    const answer = await client.ask(method, target, body === undefined ? undefined : Buffer.from(body), {
      ...length,
      ...headers,
    })
    assert.equal(answer.status, status, answer.body.toString())
    if (method === 'HEAD') assert.equal(answer.body.length, 0)
    for (const [name, wanted] of Object.entries(answers)) compare(answer, name, wanted)
  })
}

async function createWith(length: number | null): Promise<string> {
  const said = length === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(length) }
  const headers = { ...tus, ...said, 'upload-metadata': metadata, 'content-length': 0 }
  const answer = await client.ask('POST', uploads, undefined, headers)
  assert.equal(answer.status, 201, answer.body.toString())
  return String(answer.headers.location)
}

function compare({ headers }: Answer, name: string, wanted: string | RegExp | null): void {
  const value = headers[name]
  if (wanted === null) assert.equal(value, undefined, name)
  else if (wanted instanceof RegExp) assert.match(String(value), wanted, name)
  else assert.equal(value, wanted, name)
}

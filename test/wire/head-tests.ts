// Head tests: requests with invalid heads, and the response to each.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Answer, headerValues } from './answers.ts'
import { Conversation } from './conversation.ts'
import { recordFaults } from './outcome-faults.ts'
import { bareRequest, chunked, fileBody, rawRequest, uploadPath } from './requests.ts'

const notFound = 'org.springframework.web.servlet.NoHandlerFoundException'

/** Sends a request and returns its only response; the server must then have closed. */
export async function refusal(port: number, request: Buffer, isHead = false): Promise<Answer> {
  using talk = await Conversation.open(port, isHead)
  await talk.send(request)
  await talk.answered(1)
  await talk.ended()
  const { final } = talk.answers
  assert.equal(final.length, 1, `answers: ${talk.raw.toString('latin1').slice(0, 300)}`)
  const [answer] = final
  assert.ok(answer?.isWhole)
  assert.deepEqual(headerValues(answer, 'connection'), ['close'])
  return answer
}

/** Sends a request that must be accepted, and returns the response. */
export async function acceptance(port: number, request: Buffer): Promise<Answer> {
  using talk = await Conversation.open(port)
  await talk.send(request)
  const [answer] = (await talk.answered(1)).final
  assert.equal(answer?.status, 200, talk.raw.toString('latin1').slice(0, 400))
  assert.deepEqual(headerValues(answer, 'connection'), [])
  assert.equal(talk.hasEnded, false)
  return answer
}

export function headTests(port: () => number): void {
  describe('malformed heads', () => {
    const valid = fileBody()
    const malformed: Readonly<Record<string, Buffer>> = {
      'two Host lines': rawRequest({ headers: ['Host: 127.0.0.1', 'Host: 127.0.0.1'] }),
      'Content-Length and chunked': rawRequest({ headers: ['Transfer-Encoding: chunked'], body: chunked(valid) }),
      'Content-Length -1': rawRequest({ headers: ['Content-Length: -1'] }),
      'Content-Length +5': rawRequest({ headers: ['Content-Length: +5'] }),
      'Content-Length in hex': rawRequest({ headers: ['Content-Length: 0x5'] }),
      'Content-Length of 30 digits': rawRequest({ headers: [`Content-Length: ${'9'.repeat(30)}`] }),
      'unknown transfer coding': rawRequest({ headers: ['Transfer-Encoding: xchunked'], without: ['content-length'] }),
      'chunked not last': rawRequest({ headers: ['Transfer-Encoding: chunked, gzip'], without: ['content-length'] }),
      'a coding beside chunked': rawRequest({
        headers: ['Transfer-Encoding: gzip, chunked'],
        without: ['content-length'],
        body: chunked(valid),
      }),
      'a coding in a separate line': rawRequest({
        headers: ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
        without: ['content-length'],
        body: chunked(valid),
      }),
      'blank before the colon': rawRequest({ headers: ['Content-Length : 5'], without: ['content-length'] }),
      'folded header line': rawRequest({ headers: ['X-A: 1', ' folded'] }),
      'NUL in a header': rawRequest({ headers: ['X-A: a\0b'] }),
      'HTTP/1.2': rawRequest({ version: 'HTTP/1.2' }),
      'HTTP/0.9': rawRequest({ version: 'HTTP/0.9' }),
      'method in lower case': rawRequest({ method: 'post' }),
      garbage: Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 'latin1'),
      'head of 20 KB': rawRequest({ headers: [`X-A: ${'a'.repeat(20_000)}`] }),
      'target of 20 KB': bareRequest('GET', `/${'a'.repeat(20_000)}`),
      '1100 header lines': rawRequest({ headers: Array.from({ length: 1_100 }, () => 'X: 1') }),
      'chunk extension of 20 KB': rawRequest({
        headers: ['Transfer-Encoding: chunked'],
        without: ['content-length'],
        body: `5;${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`,
      }),
    }
    const statuses = [400, 408, 413, 414, 431, 501, 505]
    for (const [what, request] of Object.entries(malformed)) {
      it(`are refused with a record: ${what}`, async () => {
        const answer = await refusal(port(), request)
        assert.ok(statuses.includes(answer.status), answer.statusLine)
        assert.equal(answer.framing, 'chunked')
        assert.deepEqual(recordFaults(answer), [])
      })
    }

    it('have the path in the record if the request line can be read', async () => {
      const answer = await refusal(port(), rawRequest({ path: `${uploadPath}?a=b`, headers: ['Content-Length: x'] }))
      assert.deepEqual(recordFaults(answer, { path: uploadPath }), [])
    })

    it('have no path in the record if the rest of the head is all that can be read', async () => {
      const head = `POST ${uploadPath} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
      for (const rest of ['Content-Length: abc', 'X-Key: abc\r\nX Y: 1', 'X Y: 1', `X-Key: ${'y'.repeat(20_000)}`]) {
        using talk = await Conversation.open(port())
        // Once the request before it is answered, the server has read the beginning of the head, too.
        await talk.send(Buffer.concat([bareRequest('GET', '/healthz'), Buffer.from(head)]))
        await talk.answered(1)
        await talk.send(`${rest}\r\n\r\n`)
        const [, answer] = (await talk.answered(2)).final
        assert.deepEqual(recordFaults(answer ?? assert.fail('no answer'), { path: '/' }), [], rest.slice(0, 40))
      }
    })

    it('of HTTP/1.0 are refused without chunks', async () => {
      for (const header of ['Content-Length: x', 'TE: chunked']) {
        const request = { version: 'HTTP/1.0', headers: [header, 'Content-Type: text/csv'] }
        const answer = await refusal(port(), rawRequest(request))
        assert.equal(answer.framing, 'until-close')
        assert.deepEqual(recordFaults(answer), [])
      }
    })
  })

  describe('paths', () => {
    const strange = [
      '/qas',
      '/qas//uploadCsv',
      '//qas/uploadCsv',
      '/./qas/uploadCsv',
      '/qas/./uploadCsv',
      '/qas/uploadCsv/.',
      '/qas/uploadCsv//',
      '/qas;x/uploadCsv',
      '/qas/uploadCs%76',
      '/qas%2FuploadCsv',
      '/qas/uploadCsv%20',
      '/qas/uploadCsv%00',
      '/qas/uploadCsv#a',
      '/qas/datasets/%zz/rows',
    ]
    for (const path of strange) {
      it(`that do not exist are not found by any method: ${path}`, async () => {
        for (const method of ['POST', 'GET', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND']) {
          const answer = await refusal(port(), rawRequest({ method, path, headers: ['Content-Type: text/csv'] }))
          assert.equal(answer.status, 404)
          assert.deepEqual(recordFaults(answer, { exception: notFound, message: 'No message available', path }), [])
        }
      })
    }

    for (const path of [`http://127.0.0.1${uploadPath}`, `HTTP://LOCALHOST.:80${uploadPath}/?a=b`]) {
      it(`in absolute form reach the endpoint: ${path}`, async () => {
        await acceptance(port(), rawRequest({ path }))
        const answer = await refusal(port(), rawRequest({ path, body: fileBody('x', 'other') }))
        assert.deepEqual(recordFaults(answer, { path: path.includes('?') ? `${uploadPath}/` : uploadPath }), [])
      })
    }
  })

  describe('methods', () => {
    for (const method of ['PATCH', 'TRACE', 'PROPFIND', 'QUERY']) {
      it(`other than POST are refused on the endpoint: ${method}`, async () => {
        for (const request of [bareRequest(method, uploadPath), rawRequest({ method })]) {
          const answer = await refusal(port(), request)
          assert.equal(answer.status, 405)
          assert.deepEqual(headerValues(answer, 'allow'), ['POST, OPTIONS'])
          const exception = 'org.springframework.web.HttpRequestMethodNotSupportedException'
          const message = `Request method '${method}' not supported`
          assert.deepEqual(recordFaults(answer, { exception, message, path: uploadPath }), [])
        }
      })
    }

    it('HEAD is refused without a body', async () => {
      const answer = await refusal(port(), bareRequest('HEAD', uploadPath), true)
      assert.equal(answer.status, 405)
      assert.deepEqual(headerValues(answer, 'content-type'), ['application/json;charset=UTF-8'])
    })

    it('HEAD is refused without a body even if its head cannot be read', async () => {
      for (const [status, head] of [
        [400, 'HEAD /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A : b\r\n\r\n'],
        [400, 'HEAD /healthz HTTP/1.1\r\n\r\n'],
        [431, `HEAD /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
        [505, 'HEAD /healthz HTTP/3.1\r\nHost: 127.0.0.1\r\n\r\n'],
      ] as const) {
        using talk = await Conversation.open(port(), true)
        await talk.send(head)
        await talk.ended()
        const text = talk.raw.toString('latin1')
        assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\n\r\n$`))
        assert.equal(text.indexOf('\r\n\r\n'), text.length - 4, text)
      }
    })

    it('OPTIONS of the whole server lists every method', async () => {
      for (const version of ['HTTP/1.1', 'HTTP/1.0']) {
        using talk = await Conversation.open(port())
        await talk.send(`OPTIONS * ${version}\r\nHost: 127.0.0.1\r\n\r\n`)
        const [answer] = (await talk.answered(1)).final
        assert.equal(answer?.status, 204)
        assert.deepEqual(headerValues(answer, 'allow'), ['GET, HEAD, POST, DELETE, PATCH, OPTIONS'])
      }
      assert.equal((await refusal(port(), Buffer.from('GET * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'))).status, 404)
    })

    it('CONNECT is refused with a record', async () => {
      const request = Buffer.from('CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n')
      const answer = await refusal(port(), request)
      assert.equal(answer.status, 405)
      assert.deepEqual(recordFaults(answer), [])
    })

    it('for another host name are refused before the body', async () => {
      const body = fileBody()
      for (const host of ['evil.example', 'localhost.evil.example:8080']) {
        const headers = [`Host: ${host}`, 'Expect: 100-continue', `Content-Length: ${body.length}`]
        const answer = await refusal(port(), rawRequest({ headers, body: '' }))
        assert.equal(answer.status, 421)
        assert.deepEqual(recordFaults(answer, { exception: 'csvupload.HostNotAllowedException' }), [])
      }
      for (const host of ['localhost:1', 'localhost.', 'localhost.:8080'])
        await acceptance(port(), rawRequest({ headers: [`Host: ${host}`] }))
    })

    it('count by the target if it is in absolute form', async () => {
      const headers = ['Host: evil.example', 'Origin: http://localhost:1']
      await acceptance(port(), rawRequest({ path: `http://localhost:1${uploadPath}`, headers }))
      for (const [host, status] of [
        ['evil.example', 421],
        ['user@localhost', 421],
        ['localhost:2', 403],
      ] as const) {
        const path = `http://${host}${uploadPath}`
        const answer = await refusal(
          port(),
          rawRequest({ path, headers: ['Host: localhost:1', 'Origin: http://localhost:1'] }),
        )
        assert.equal(answer.status, status, host)
      }
    })

    it('requested by a page of another origin are refused before the body', async () => {
      const body = fileBody()
      for (const line of ['Origin: http://evil.example', 'Origin: null', 'Sec-Fetch-Site: cross-site']) {
        const headers = [line, 'Expect: 100-continue', `Content-Length: ${body.length}`]
        const answer = await refusal(port(), rawRequest({ headers, body: '' }))
        assert.equal(answer.status, 403)
        assert.deepEqual(recordFaults(answer, { exception: 'csvupload.CrossSiteException' }), [])
      }
      await acceptance(port(), rawRequest({ headers: ['Origin: http://127.0.0.1', 'Sec-Fetch-Site: same-origin'] }))
    })

    it('an offer to upgrade is ignored', async () => {
      await acceptance(port(), rawRequest({ headers: ['Connection: Upgrade', 'Upgrade: websocket'] }))
    })
  })

  describe('content', () => {
    it('with a content coding is refused', async () => {
      const answer = await refusal(port(), rawRequest({ headers: ['Content-Encoding: gzip'] }))
      assert.equal(answer.status, 415)
      assert.deepEqual(recordFaults(answer), [])
      await acceptance(port(), rawRequest({ headers: ['Content-Encoding: identity'] }))
      const mistaken = await acceptance(port(), rawRequest({ headers: ['Content-Encoding: UTF-8'] }))
      assert.match(mistaken.body.toString(), /"code":"CODING_IGNORED","severity":"info"/)
    })

    it('of several types is refused if they could be read in two ways', async () => {
      const types = [
        'Content-Type: multipart/form-data; boundary=BnD',
        'Content-Type: multipart/form-data; boundary=other',
      ]
      const answer = await refusal(port(), rawRequest({ headers: types }))
      assert.equal(answer.status, 400)
      assert.deepEqual(recordFaults(answer, { exception: 'csvupload.BadRequestException' }), [])
      await acceptance(port(), rawRequest({ headers: [types[0] ?? '', types[0] ?? ''] }))
      const path = `/qas/datasets/${'0'.repeat(32)}/query`
      const json = { path, body: '{"sql":"FROM data"}', without: ['content-type'] }
      const twice = ['Content-Type: application/json', 'Content-Type: text/plain']
      assert.equal((await refusal(port(), rawRequest({ ...json, headers: twice }))).status, 400)
    })

    it('gets a Link header with what was seen if the message is fixed', async () => {
      for (const [request, seen] of [
        [rawRequest({ headers: ['Content-Type: multipart/form-data'] }), /Content-Type has no boundary/],
        [rawRequest({ body: fileBody('x', 'csv') }), /no part is named 'file'; there is 'csv'/],
        [rawRequest({ body: Buffer.from('\n--BnD--\r\n') }), /the body has no part/],
      ] as const) {
        const [link = ''] = headerValues(await refusal(port(), request), 'link')
        assert.match(link, /^<\/docs#uploadCsv>; rel="help"; title="[ !#-~]+"$/)
        assert.match(link, seen)
      }
    })
  })
}

// Connection tests: requests that are slow, fragmented, broken or pipelined.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Conversation } from './conversation.ts'
import { acceptance, refusal } from './head-tests.ts'
import { recordFaults } from './outcome-faults.ts'
import { bareRequest, chunked, fileBody, rawRequest } from './requests.ts'

const missingPart = "Required MultipartFile parameter 'file' is not present"
const multipartFailure = 'org.springframework.web.multipart.MultipartException'

/** The server must have short times. */
export function slowTests(port: () => number): void {
  it('a body that stalls gets 408', async () => {
    const answer = await refusal(port(), rawRequest({ headers: ['Content-Length: 5000'] }))
    assert.equal(answer.status, 408)
    assert.deepEqual(recordFaults(answer), [])
  })

  it('a body that trickles gets 408 although no single wait is long', async () => {
    using talk = await Conversation.open(port())
    await talk.send(rawRequest({ headers: ['Content-Length: 5000'] }))
    const drip = setInterval(() => void talk.send('x'), 50)
    const [answer] = (await talk.answered(1)).final
    clearInterval(drip)
    assert.equal(answer?.status, 408)
  })

  it('a head that never ends gets 408', async () => {
    const answer = await refusal(port(), Buffer.from('POST /qas/uploadCsv HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A'))
    assert.equal(answer.status, 408)
    assert.deepEqual(recordFaults(answer), [])
  })
}

export function connectionTests(port: () => number): void {
  describe('broken bodies', () => {
    it('with invalid chunks get the multipart failure', async () => {
      // A complete first chunk, then an invalid chunk size.
      const body = Buffer.concat([chunked(fileBody()).subarray(0, '32\r\n'.length + 52), Buffer.from('zz\r\n')])
      const headers = ['Transfer-Encoding: chunked']
      const answer = await refusal(port(), rawRequest({ headers, without: ['content-length'], body }))
      assert.equal(answer.status, 400)
      assert.deepEqual(recordFaults(answer, { exception: multipartFailure }), [])
    })

    it('that end before their declared length get the multipart failure', async () => {
      using talk = await Conversation.open(port())
      await talk.send(rawRequest({ headers: ['Content-Length: 5000'] }))
      talk.socket.end()
      const [answer] = (await talk.answered(1)).final
      assert.equal(answer?.status, 400)
      assert.deepEqual(recordFaults(answer, { exception: multipartFailure }), [])
    })
  })

  it('a valid upload gets the same response however it is fragmented', async () => {
    const request = rawRequest()
    for (let cut = 1; cut < request.length; cut += 7) {
      using talk = await Conversation.open(port())
      await talk.send(request.subarray(0, cut))
      await talk.send(request.subarray(cut))
      const [answer] = (await talk.answered(1)).final
      assert.equal(answer?.status, 200, `cut at ${cut}`)
    }
  })

  describe('pipelined requests', () => {
    it('after an error get no response and have no effect', async () => {
      const receipt = JSON.parse((await acceptance(port(), rawRequest())).body.toString('utf8'))
      const path = `/qas/datasets/${receipt.id}`
      const refused = rawRequest({ body: fileBody('x', 'other') })
      const answer = await refusal(port(), Buffer.concat([refused, bareRequest('DELETE', path)]))
      assert.deepEqual(recordFaults(answer, { message: missingPart }), [])
      using talk = await Conversation.open(port())
      await talk.send(bareRequest('GET', path))
      assert.equal((await talk.answered(1)).final[0]?.status, 200)
    })

    it('that are broken are refused after the response to the previous one', async () => {
      using talk = await Conversation.open(port())
      await talk.send(Buffer.concat([rawRequest(), Buffer.from('garbage\r\n\r\n')]))
      const { final } = await talk.answered(2)
      assert.deepEqual(
        final.map(({ status }) => status),
        [200, 400],
      )
      assert.deepEqual(recordFaults(final[1] ?? assert.fail()), [])
    })

    it('in great number all get responses, in order', async () => {
      using talk = await Conversation.open(port())
      const asked = Array.from({ length: 2_000 }, (_, index) => (index % 7 === 0 ? '/readyz' : '/healthz'))
      await talk.send(Buffer.concat(asked.map((path) => bareRequest('GET', path))))
      const { final } = await talk.answered(asked.length)
      assert.deepEqual([final.length, new Set(final.map(({ status }) => status))], [asked.length, new Set([200])])
    })

    it('all get responses if the client ends its side after them, complete or cut', async () => {
      for (const [tail, last] of [
        ['', 200],
        ['GET /healthz HT', 400],
      ] as const) {
        using talk = await Conversation.open(port())
        const uploads = Array.from({ length: 40 }, (_, index) => rawRequest({ body: fileBody(`id\r\n${index}\r\n`) }))
        await talk.send(Buffer.concat([...uploads, Buffer.from(tail)]))
        talk.socket.end()
        const count = uploads.length + (tail === '' ? 0 : 1)
        const { final } = await talk.answered(count)
        assert.deepEqual([final.length, final.at(-1)?.status], [count, last])
        assert.equal(new Set(final.slice(0, uploads.length).map(({ body }) => JSON.parse(String(body)).id)).size, 40)
        await talk.ended()
      }
    })
  })

  describe('Expect: 100-continue', () => {
    const headers = ['Expect: 100-continue']

    it('gets a refusal immediately, without 100, if the head alone is wrong', async () => {
      for (const [status, request] of [
        [404, rawRequest({ path: '/nope', headers })],
        [405, rawRequest({ method: 'PUT', headers })],
        [415, rawRequest({ headers: [...headers, 'Content-Type: text/csv'] })],
        [413, rawRequest({ headers: [...headers, `Content-Length: ${2 ** 40}`] })],
      ] as const) {
        using talk = await Conversation.open(port())
        await talk.send(request.subarray(0, request.indexOf('\r\n\r\n') + 4))
        const { interim, final } = await talk.answered(1)
        assert.equal(final[0]?.status, status)
        assert.deepEqual(interim, [])
      }
    })

    it('gets 100 before the error about a missing boundary, and not together with it', async () => {
      const request = rawRequest({ headers: [...headers, 'Content-Type: multipart/form-data'] })
      const headEnd = request.indexOf('\r\n\r\n') + 4
      for (const body of [request.subarray(headEnd), '']) {
        using talk = await Conversation.open(port())
        await talk.send(request.subarray(0, headEnd))
        await talk.until('100 has come', () => talk.answers.interim.length > 0)
        assert.equal(talk.raw.toString('latin1'), 'HTTP/1.1 100 Continue\r\n\r\n')
        await talk.send(body)
        const { interim, final } = await talk.answered(1)
        assert.deepEqual([interim.length, final[0]?.status], [1, 500])
      }
    })

    it('of another kind is refused, but ignored for HTTP/1.0', async () => {
      const other = ['Expect: the-unexpected']
      const answer = await refusal(port(), rawRequest({ headers: other }))
      assert.equal(answer.status, 417)
      assert.deepEqual(recordFaults(answer), [])
      using talk = await Conversation.open(port())
      await talk.send(rawRequest({ version: 'HTTP/1.0', headers: other }))
      assert.equal((await talk.answered(1)).final[0]?.status, 200)
    })
  })
}

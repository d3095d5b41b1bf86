// Lingering tests: an error response sent while the client is still sending must reach it.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { Conversation } from './conversation.ts'
import { recordFaults } from './outcome-faults.ts'
import { fileBody, rawRequest, uploadPath } from './requests.ts'

const bodyBytes = 20_000_000
const body = fileBody(Buffer.alloc(bodyBytes, 'id,name\r\n'))

export function lingeringTests(port: () => number): void {
  const refused = {
    'no boundary': rawRequest({ headers: ['Content-Type: multipart/form-data'], body }),
    'wrong type': rawRequest({ headers: ['Content-Type: text/csv'], body }),
    'unknown path': rawRequest({ path: '/nope', body }),
    'declared too large': rawRequest({ headers: [`Content-Length: ${2 ** 40}`], body }),
    'a part head that never ends': rawRequest({
      body: Buffer.concat([Buffer.from('--BnD\r\n'), Buffer.alloc(bodyBytes, 'x')]),
    }),
    'no HTTP': Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), body]),
    'a tunnel': Buffer.concat([Buffer.from('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'), body]),
    'a bad chunk': Buffer.concat([
      rawRequest({ headers: ['Transfer-Encoding: chunked'], without: ['content-length'], body: 'zz\r\n' }),
      body,
    ]),
  }
  describe('an early error', () => {
    for (const [what, bytes] of Object.entries(refused)) {
      it(`is complete for a client that reads only after it has sent everything: ${what}`, async () => {
        using talk = await Conversation.open(port())
        talk.socket.pause()
        const stepBytes = 1_000_000
        for (let start = 0; start < bytes.length; start += stepBytes) {
          await talk.send(bytes.subarray(start, start + stepBytes))
          // Slow on purpose: the response is sent long before the last byte.
          await pause(20)
        }
        assert.equal(talk.socket.errored, null, 'the connection was reset')
        talk.socket.resume()
        const [answer] = (await talk.answered(1)).final
        assert.deepEqual(recordFaults(answer ?? assert.fail('no answer')), [])
        await talk.ended()
      })
    }

    it('reaches fetch', async () => {
      for (let round = 0; round < 5; round += 1) {
        const response = await fetch(`http://127.0.0.1:${port()}${uploadPath}`, {
          method: 'POST',
          headers: { 'content-type': 'text/csv' },
          body: new Uint8Array(body),
        })
        assert.equal(response.status, 415)
        assert.equal(Object.keys((await response.json()) as object).length, 6)
      }
    })

    it('reaches undici', async () => {
      const agent = new Agent()
      for (let round = 0; round < 5; round += 1) {
        const response = await request(`http://127.0.0.1:${port()}${uploadPath}`, {
          method: 'POST',
          headers: { 'content-type': 'multipart/form-data' },
          body,
          dispatcher: agent,
        })
        assert.equal(response.statusCode, 500)
        assert.equal(Object.keys((await response.body.json()) as object).length, 6)
      }
      await agent.close()
    })

    it('reaches curl', async (test) => {
      if (spawnSync('curl', ['--version']).error) return test.skip('curl is not installed')
      const url = `http://127.0.0.1:${port()}${uploadPath}`
      for (const expect of ['Expect:', 'Expect: 100-continue']) {
        const curl = spawn('curl', ['-sS', '-H', 'Content-Type: text/csv', '-H', expect, '--data-binary', '@-', url])
        curl.stdin.on('error', () => {})
        curl.stdin.end(body)
        const output: Buffer[] = []
        curl.stdout.on('data', (chunk) => output.push(chunk))
        await once(curl, 'close')
        assert.equal(JSON.parse(Buffer.concat(output).toString('utf8')).status, 415)
      }
    })
  })
}

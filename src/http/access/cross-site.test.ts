// Tests of cross-site checks: what other sites cannot make a browser do.
import assert from 'node:assert/strict'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { checkHost, checkSite } from './cross-site.ts'

/** The checks read only the method and the headers. */
function requestOf(headers: IncomingHttpHeaders, method = 'POST'): IncomingMessage {
  return { method, headers } as IncomingMessage
}

function isRefused(host: string, allowed: readonly string[] = []): boolean {
  try {
    checkHost(requestOf({ host }), allowed)
    return false
  } catch (error) {
    assert.ok(isServiceError(error, 'HOST_NOT_ALLOWED'))
    return true
  }
}

test('checkHost() accepts localhost and addresses, with and without port', () => {
  const hosts = ['localhost', 'LocalHost:8080', 'app.localhost', '127.0.0.1', '127.0.0.1:8080', '[::1]:8080', '[::1]']
  for (const host of [...hosts, '192.168.0.7:80', '[fe80::1]']) assert.equal(isRefused(host), false, host)
})

test('checkHost() refuses any other name unless it is allowed', () => {
  const hosts = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
    '',
    '[localhost',
    'x:',
  ]
  for (const host of hosts) assert.equal(isRefused(host, ['csv.example.org']), true, host)
  assert.equal(isRefused('CSV.example.org:443', ['csv.example.org']), false)
})

test('checkHost() ignores a request without Host', () => {
  checkHost(requestOf({}), [])
})

const siteRows: readonly (readonly [headers: IncomingHttpHeaders, isAllowed: boolean])[] = [
  [{}, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'same-origin, cross-site' }, false],
  [{ origin: 'http://127.0.0.1:8080' }, true],
  [{ origin: 'HTTP://127.0.0.1:8080', 'sec-fetch-site': 'same-origin' }, true],
  [{ origin: 'http://127.0.0.1:8081' }, false],
  [{ origin: 'http://127.0.0.1' }, false],
  [{ origin: 'http://127.0.0.1:8080.evil.example' }, false],
  [{ origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ origin: 'null' }, false],
  [{ origin: '' }, false],
]

for (const [headers, isAllowed] of siteRows) {
  test(`checkSite() ${isAllowed ? 'accepts a change' : 'refuses a change'} with ${JSON.stringify(headers)}`, () => {
    const check = () => checkSite(requestOf({ host: '127.0.0.1:8080', ...headers }), [])
    if (isAllowed) check()
    else assert.throws(check, (error) => isServiceError(error, 'CROSS_SITE'))
  })
}

test('checkSite() accepts a TLS proxy as the same origin', () => {
  checkSite(requestOf({ host: 'csv.example.org', origin: 'https://csv.example.org' }), [])
  checkSite(requestOf({ host: 'csv.example.org:443', origin: 'https://csv.example.org' }), [])
})

test('checkSite() accepts every GET, HEAD and OPTIONS request', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    checkSite(
      requestOf({ host: 'localhost', origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }, method),
      [],
    )
  }
})

test('checkSite() accepts pages of allowed origins, and no others', () => {
  const allowed = ['http://localhost:3000']
  const host = '127.0.0.1:8080'
  checkSite(requestOf({ host, origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }), allowed)
  for (const origin of ['http://localhost:3001', 'https://localhost:3000', 'http://localhost', 'null']) {
    assert.throws(
      () => checkSite(requestOf({ host, origin, 'sec-fetch-site': 'cross-site' }), allowed),
      (error) => isServiceError(error, 'CROSS_SITE'),
    )
  }
})

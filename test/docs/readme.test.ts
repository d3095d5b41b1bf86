// Tests of the README: its first upload, done as described, returns the receipt shown there.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { pageUrl } from './generated.ts'

test('the first upload of the README returns the receipt shown there, and its routes exist', async () => {
  const readme = await readFile(pageUrl('README.md'), 'utf8')
  const csv = found(readme, /^printf '(.*)' > people\.csv$/m).replaceAll('\\n', '\n')
  const shown: unknown = JSON.parse(found(readme, /^```json\n([^`]*)^```$/m))

  await using service = await startService()
  const form = new FormData()
  form.append('file', new Blob([csv], { type: 'text/csv' }), 'people.csv')
  const reply = await fetch(`${service.url}/qas/uploadCsv`, { method: 'POST', body: form })
  const receipt = (await reply.json()) as { id: string; upload: { id: string } } // verified below
  assert.equal(reply.status, 200, JSON.stringify(receipt))
  assertShows(receipt, shown, 'receipt')

  const routes = [...readme.matchAll(/`GET (\/[^`?]*)/g)].map((match) => match[1]!)
  assert.ok(routes.length >= 9)
  for (const route of routes) {
    const id = route.startsWith('/qas/uploads') ? receipt.upload.id : receipt.id
    const { status, body } = await fetch(service.url + route.replace('{id}', id))
    assert.equal(status, 200, route)
    await body?.cancel()
  }
})

/** Asserts that the response has everything shown; an ellipsis stands for any text, and fields may be omitted. */
function assertShows(actual: unknown, shown: unknown, path: string): void {
  if (shown === '…') {
    assert.ok(typeof actual === 'string' && actual !== '', path)
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, path)
    if (Array.isArray(shown)) assert.equal(Array.isArray(actual) && actual.length, shown.length, path)
    for (const [key, value] of Object.entries(shown)) {
      assertShows((actual as Readonly<Record<string, unknown>>)[key], value, `${path}.${key}`) // an object by the line above
    }
  } else {
    assert.equal(actual, shown, path)
  }
}

function found(text: string, pattern: RegExp): string {
  const match = pattern.exec(text)
  assert.ok(match?.[1], `the README has no match for ${pattern}`)
  return match[1]
}

async function startService() {
  const dir = await mkdtemp(join(tmpdir(), 'readme-'))
  const app = await startApp(
    readConfig(['--port', '0', '--data', dir, '--log-level', 'silent', '--converters', '1'], {}),
  )
  return {
    url: app.url,
    async [Symbol.asyncDispose]() {
      await app.close()
      await rm(dir, { recursive: true })
    },
  }
}

// First load: limits the bytes that a browser fetches before the page is shown.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** The limit that docs/decisions/page.md names. Bytes, gzipped. */
const firstLoadBytesMax = 60_000

test('the page, its script and its style sheet are at most 60 kB when gzipped', () => {
  const fileOf = (path: string) => readFileSync(fileURLToPath(new URL(`../../build/web${path}`, import.meta.url)))
  const page = fileOf('/index.html')
  const assets = Array.from(page.toString().matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g), ([, path = '']) => path)
  assert.equal(assets.length, 2, assets.join())
  const bytes = [page, ...assets.map(fileOf)].reduce((sum, content) => sum + gzipSync(content).length, 0)
  assert.ok(bytes <= firstLoadBytesMax, `${bytes} bytes`)
})

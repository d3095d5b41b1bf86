// First load: limits the bytes that a browser fetches before the page is shown.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** The limit that docs/decisions/page.md names. Bytes, gzipped. */
const firstLoadBytesMax = 60_000

const fileOf = (path: string) => readFileSync(fileURLToPath(new URL(`../../build/web${path}`, import.meta.url)))

/** A script and those that it imports, but not what it imports later. */
function withImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  for (const [, other = ''] of fileOf(path)
    .toString()
    .matchAll(/\b(?:from|import)\s*"([^"]+\.js)"/g))
    withImports(other.replace(/^\.\//, '/assets/'), found)
  return found
}

test('the page, its scripts and its style sheet are at most 60 kB when gzipped', () => {
  const page = fileOf('/index.html')
  const named = Array.from(page.toString().matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g), ([, path = '']) => path)
  const scripts = named.filter((path) => path.endsWith('.js'))
  const assets = new Set([...named, ...scripts.flatMap((path) => [...withImports(path)])])
  assert.deepEqual([...assets], named, 'what is needed at once is asked for at once')
  const bytes = [page, ...[...assets].map(fileOf)].reduce((sum, content) => sum + gzipSync(content).length, 0)
  assert.ok(bytes <= firstLoadBytesMax, `${bytes} bytes`)
})

// Licences: everything that the service needs to run has a licence from a list, and may be redistributed with it.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Each requires only its text and the names of its authors; none extends to our own code. */
const allowed: ReadonlySet<unknown> = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'])

interface Row {
  readonly dev?: boolean
  readonly optional?: boolean
}

test('every dependency of the service has a listed licence', () => {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    readonly packages: Readonly<Record<string, Row>>
  }
  const needed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  assert.ok(needed.length > 30)
  const wrong = needed.flatMap(([path, { optional }]) => {
    const manifest = `${root}${path}/package.json`
    // Packages for other systems are not installed here.
    if (optional === true && !existsSync(manifest)) return []
    const { license } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly license?: unknown }
    return allowed.has(license) ? [] : [`${path}: ${String(license)}`]
  })
  assert.deepEqual(wrong, [])
})

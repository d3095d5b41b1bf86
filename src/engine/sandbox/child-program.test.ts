// Tests of child programs: a bundle runs only if nothing in it has changed since.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { childProgram } from './child-program.ts'

test('childProgram() is the bundle, unless there is none or something in it has changed or is gone', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'child-program-'))
  t.after(() => rmSync(root, { recursive: true }))
  const url = new URL('./main.ts', import.meta.url)
  const source = fileURLToPath(url)
  assert.equal(childProgram(url, root), source)
  const inputsPath = join(root, 'build/children/inputs.json')
  mkdirSync(join(root, 'build/children'), { recursive: true })
  for (const path of ['a.ts', 'b.ts']) writeFileSync(join(root, path), '')
  writeFileSync(inputsPath, JSON.stringify(['a.ts', 'b.ts']))
  utimesSync(inputsPath, 2_000_000_000, 2_000_000_000)
  assert.equal(childProgram(url, root), join(root, 'build/children/main.mjs'))
  assert.match(childProgram(new URL('./main.js', import.meta.url), root), /sandbox.main\.js$/)
  utimesSync(join(root, 'b.ts'), 2_000_000_001, 2_000_000_001)
  assert.equal(childProgram(url, root), source)
  utimesSync(join(root, 'b.ts'), 2_000_000_000, 2_000_000_000)
  rmSync(join(root, 'a.ts'))
  assert.equal(childProgram(url, root), source)
})

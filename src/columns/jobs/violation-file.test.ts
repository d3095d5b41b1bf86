// Tests of violation files: what they hold, how little of it at once, and when there is none.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Violation, ViolationLine } from '../../core/declared-values.ts'
import { scratchDir } from '../converter.testing.ts'
import { ViolationFile } from './violation-file.ts'

function violation(record: number): Violation {
  return { record, column: 3, rule: 1, value: `"ü\n${record}` }
}

function lineOf({ record, column, rule, value }: Violation): ViolationLine {
  return [record, column, rule, value, null, 0, 0, null]
}

test('ViolationFile writes lines while they are added, in order', (t) => {
  const path = join(scratchDir(t), 'violations')
  const all = Array.from({ length: 100_000 }, (_, i) => violation(i + 1))
  {
    using file = new ViolationFile(path)
    for (const one of all) {
      file.add(one)
      if (one.record === 50_000) assert.ok(statSync(path).size > 0)
    }
    file.end()
  }
  const lines = gunzipSync(readFileSync(path)).toString().split('\n')
  assert.equal(lines.pop(), '')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    all.map(lineOf),
  )
})

test('ViolationFile leaves nothing if it is empty or does not end, and replaces an older file', (t) => {
  const path = join(scratchDir(t), 'violations')
  {
    using file = new ViolationFile(path)
    file.end()
  }
  assert.equal(existsSync(path), false)
  for (let i = 0; i < 2; i++) {
    using file = new ViolationFile(path)
    file.add(violation(i))
    file.end()
  }
  assert.deepEqual(JSON.parse(gunzipSync(readFileSync(path)).toString()), lineOf(violation(1)))
  {
    using file = new ViolationFile(path)
    for (let i = 0; i < 100_000; i++) file.add(violation(i))
  }
  assert.equal(existsSync(path), false)
})

// Tests of violations: their order and numbers over segments, their messages, and what reading many of them costs.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ViolationFile } from '../../columns/jobs/violation-file.ts'
import { type DeclaredCheck, ruleCode, type Violation } from '../../core/declared-values.ts'
import type { DeclaredColumn } from '../schema/declared-column.ts'
import { RepeatedKeys } from './repeated-keys.ts'
import { Violations } from './violations.ts'

const never = new AbortController().signal

async function scratch(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'violations-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

const noKeys = new RepeatedKeys('', [])

function column(name: string, ...checks: readonly DeclaredCheck[]): DeclaredColumn {
  const values = { form: { kind: 'text' }, missing: [''], isRequired: true, checks } as const
  return { name, fieldType: 'string', type: { kind: 'text' }, values }
}

function write(path: string, found: Iterable<Violation>): void {
  using file = new ViolationFile(path)
  for (const violation of found) file.add(violation)
  file.end()
}

test('Violations count records through all segments, each of which counts once', async (t) => {
  const violations = new Violations(await scratch(t), [null, column('size', { rule: 'maxLength', length: 2 })], noKeys)
  const required = { column: 1, rule: ruleCode.required, value: '' }
  const long = { column: 1, rule: ruleCode.firstCheck, value: 'x"y' }
  // Segments may end in another order, and a segment may be read again.
  write(violations.path(2), [{ record: 2, ...long }])
  violations.add(2, 3, 1)
  for (let i = 0; i < 2; i++) {
    write(violations.path(0), [
      { record: 1, ...required },
      { record: 4, ...long },
    ])
    violations.add(0, 4, 2)
  }
  violations.add(1, 10, 0)
  assert.equal(violations.count, 3)
  assert.deepEqual((await Array.fromAsync(violations.exclusions(never))).flat(), [
    { ordinal: 1, column: 2, message: 'size: no value, required by the schema' },
    { ordinal: 4, column: 2, message: 'size: "x\\"y" violates maxLength 2' },
    { ordinal: 16, column: 2, message: 'size: "x\\"y" violates maxLength 2' },
  ])
})

test('Violations look at the values of a long enum once, however many records break it', async (t) => {
  let reads = 0
  const texts = Array.from({ length: 50_000 }, (_, i) => `value ${i}`)
  const values = new Proxy(texts, {
    get(target, name) {
      reads++
      return Reflect.get(target, name)
    },
  })
  const violations = new Violations(await scratch(t), [column('c', { rule: 'enum', values })], noKeys)
  const count = 100_000
  const found = (i: number) => ({ record: i + 1, column: 0, rule: ruleCode.firstCheck, value: `${i}` })
  write(violations.path(0), Iterator.from(texts.keys()).map(found))
  violations.add(0, count, texts.length)
  let last = ''
  for await (const some of violations.exclusions(never)) last = some.at(-1)?.message ?? last
  assert.match(last, /^c: "49999" violates enum value 0, value 1, .{150,}…$/)
  assert.ok(reads < 1_000, `${reads} reads`)
})

test('Violations end with their client', async (t) => {
  const violations = new Violations(await scratch(t), [column('c')], noKeys)
  const found = (record: number) => ({ record, column: 0, rule: ruleCode.required, value: '' })
  for (const index of [0, 1, 2]) {
    write(violations.path(index), [found(1)])
    violations.add(index, 1, 1)
  }
  const gone = new AbortController()
  let seen = 0
  const reading = async () => {
    for await (const _ of violations.exclusions(gone.signal)) if (++seen === 2) gone.abort(new Error('gone'))
  }
  await assert.rejects(reading(), /gone/)
  assert.equal(seen, 2)
})

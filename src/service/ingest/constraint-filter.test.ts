// Tests of the constraint filter: the right records, in order, in time, and with few of them in memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import { withTrailingEmpty } from '../../reading/scanner/trailing-empty.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { ConstraintFilter } from './constraint-filter.ts'
import type { Exclusion } from './exclusions.ts'

const layout = {
  delimiter: 44,
  quote: 34,
  escape: null,
  comment: null,
  skipInitialSpace: false,
  lineEnd: 'lf',
  recordBytesMax: 1_048_576,
  start: { byteOffset: 0, records: 0, lines: 0 },
} as const

function scanner(width: number) {
  return createScanner({ ...layout, width })
}

function exclude(ordinal: number): Exclusion {
  return { ordinal, column: 1, message: `number ${ordinal}` }
}

async function* once(bytes: Uint8Array) {
  yield [bytes]
}

test('ConstraintFilter rejects exactly the records of its list, among others that cannot be read', async () => {
  const text = 'a,1\nb\nc,3\nd,4\ne,5,6\nf,7'
  const filter = new ConstraintFilter(scanner(2), asyncList([exclude(1), exclude(3), exclude(4)]), 0)
  let accepted = ''
  const rejects: [number, string][] = []
  const take = ({ pieces, rejects: more }: ReturnType<ConstraintFilter['push']>) => {
    accepted += Buffer.concat(pieces).toString()
    rejects.push(...more.map(shownReject).map(({ record, message }): [number, string] => [record, message]))
  }
  for await (const [step] of filter.steps(once(Buffer.from(text)))) take(filter.push(step!))
  take(filter.end())
  assert.equal(accepted, 'c,3\n')
  assert.deepEqual(rejects, [
    [1, 'number 1'],
    [2, '1 field, expected 2'],
    [4, 'number 3'],
    [5, '3 fields, expected 2'],
    [6, 'number 4'],
  ])
})

async function* asyncList(exclusions: readonly Exclusion[]) {
  yield exclusions.slice(0, 2)
  yield exclusions.slice(2)
}

test('ConstraintFilter reads only as far ahead as the unconsumed bytes can contain records', async () => {
  const records = 100_000
  let read = 0
  let ended = false
  async function* everyRecord() {
    try {
      for (let ordinal = 1; ordinal <= records; ordinal++) {
        read = ordinal
        yield [exclude(ordinal)]
      }
    } finally {
      ended = true
    }
  }
  const filter = new ConstraintFilter(scanner(1), everyRecord(), 0)
  let seen = 0
  let aheadMax = 0
  for await (const [step] of filter.steps(once(Buffer.from('x\n'.repeat(records))))) {
    aheadMax = Math.max(aheadMax, read - seen)
    seen += filter.push(step!).rejects.length
  }
  seen += filter.end().rejects.length
  assert.equal(seen, records)
  assert.ok(aheadMax <= 10_000, `${aheadMax} at once`)
  assert.ok(ended)
})

test('ConstraintFilter excludes records in time that follow many empty records held back', async () => {
  const create = withTrailingEmpty(createFileScanner(createScanner))
  const empty = 30_000
  for (const marksRejects of [false, true]) {
    const inner = create({ ...layout, width: 2, encoding: 'utf-8', marksRejects })
    const list = [exclude(2), exclude(empty), exclude(empty + 2)]
    const filter = new ConstraintFilter(inner, asyncList(list), 0)
    let accepted = 0
    const rejected: number[] = []
    const take = (scanned: ReturnType<ConstraintFilter['push']>) => {
      accepted += scanned.accepted
      rejected.push(...scanned.rejects.map(({ record }) => record))
    }
    const text = `a,1\n${',\n'.repeat(empty)}b,2\nc,3\n`
    for await (const [step] of filter.steps(once(Buffer.from(text)))) take(filter.push(step!))
    take(filter.end())
    assert.deepEqual(rejected, [2, empty, empty + 2])
    assert.equal(accepted, empty)
  }
})

test('ConstraintFilter fails if an exclusion is not found', async () => {
  const filter = new ConstraintFilter(scanner(1), asyncList([exclude(1), exclude(9)]), 0)
  for await (const [step] of filter.steps(once(Buffer.from('x\ny\n')))) filter.push(step!)
  assert.throws(() => filter.end(), /not all of them were found/)
})

test('ConstraintFilter releases its list if the bytes are not read to their end', async () => {
  let ended = false
  async function* list() {
    try {
      yield [exclude(1)]
      yield [exclude(2)]
    } finally {
      ended = true
    }
  }
  const filter = new ConstraintFilter(scanner(1), list(), 0)
  for await (const _ of filter.steps(once(Buffer.from('x\n'.repeat(100_000))))) break
  assert.ok(ended)
})

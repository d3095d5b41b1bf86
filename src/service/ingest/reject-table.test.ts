// Tests of the reject table: its lines match its columns, for all reasons and numbers, and reuse memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RejectReason, rejectReasons } from '../../core/reject-reasons.ts'
import type { ScannedReject } from '../../reading/scanner/scanner.ts'
import { shownReject, wantedOf } from '../../reading/scanner/shown-reject.ts'
import { RejectLines } from './reject-table.ts'

const layout = { width: 12, recordBytesMax: 1_048_576 }

function rejectWith(reason: RejectReason, number: number): ScannedReject {
  const place = { record: number, line: number, byteOffset: number, byteLength: number }
  return { ...place, column: null, reason, detail: number, wanted: wantedOf(reason, layout), endOffset: 2 * number }
}

/** The expected line, built without regard to speed. */
function lineOf(reject: ScannedReject): string {
  const { record, line, byteOffset, byteLength, column, reason, message } = shownReject(reject)
  const ordinal = reason === 'constraint' ? reject.detail : ''
  const cells = [
    record,
    line,
    byteOffset,
    byteLength,
    column ?? '',
    reason,
    `"${message.replaceAll('"', '""')}"`,
    ordinal,
  ]
  return `${cells.join()}\n`
}

const numbers = [0, 1, 2, 9, 10, 11, 99, 100, 999_999_999, 1_000_000_000, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1]

test('RejectLines writes a line for every reason and number', () => {
  const rejects = rejectReasons.flatMap((reason) => numbers.map((number) => rejectWith(reason, number)))
  const columns = [null, 1, 12, 10_000].map((column) => ({ ...rejectWith('invalid_bytes', 7), column }))
  const own = ['', 'name: "a" violates pattern é', '"'.repeat(10_000)].map((ownMessage) => ({
    ...rejectWith('constraint', 5),
    ownMessage,
  }))
  const all = [...rejects, ...columns, ...own]
  const lines = new RejectLines()
  const wanted = all.map(lineOf)
  assert.deepEqual(Buffer.from(lines.of(all)).toString().split('\n'), wanted.join('').split('\n'))
  for (const [i, one] of all.entries()) assert.equal(Buffer.from(lines.of([one])).toString(), wanted[i])
  assert.equal(lines.of([]).length, 0)
})

test('RejectLines writes any number of lines at once, in order', () => {
  const many = Array.from({ length: 3_000 }, (_, i) => {
    const reason = rejectReasons[i % 7 === 0 ? 9 : i % 5] ?? assert.fail()
    return rejectWith(reason, (i * 7_919) % 1_000_003)
  })
  assert.equal(Buffer.from(new RejectLines().of(many)).toString(), many.map(lineOf).join(''))
})

test('RejectLines puts the numbers of each reject into its message, even if they differ within a file', () => {
  const lines = new RejectLines()
  for (const wanted of [2, 3, 2]) {
    const one = { ...rejectWith('too_few_fields', 5), wanted }
    assert.equal(Buffer.from(lines.of([one])).toString(), lineOf(one))
  }
})

test('RejectLines reuses its memory, and releases extra memory taken by many rejects', () => {
  const lines = new RejectLines()
  const some = Array.from({ length: 1_000 }, (_, i) => rejectWith('unclosed_quote', i))
  const { buffer } = lines.of(some)
  for (let i = 0; i < 100; i++) assert.equal(lines.of(some).buffer, buffer)
  const many = Array.from({ length: 40_000 }, (_, i) => rejectWith('unclosed_quote', i))
  assert.ok(lines.of(many).buffer.byteLength > 1_048_576)
  assert.ok(lines.of(some).buffer.byteLength <= 1_048_576)
})

// Tests of the multipart parser: parts, however a body is split into chunks, and limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BorrowedBytes, viewOf } from '../core/borrowed-bytes.ts'
import { ServiceError } from '../core/errors.ts'
import { bodies, brokenBodies, csv, fieldHead, fileHead, ofFile, wholeBodies } from './multipart-bodies.testing.ts'
import { MultipartParser } from './multipart-parser.ts'
import { bytesOf, cutAt, parseOutcome, recordParts, testLimits } from './record-parts.testing.ts'

for (const [what, body, contents] of wholeBodies) {
  test(`MultipartParser reads ${what}`, () => {
    const { parts, problem } = recordParts('BnD', [bytesOf(body)])
    assert.equal(problem, null)
    assert.deepEqual(
      parts.map((part) => part.content),
      contents,
    )
    assert.ok(parts.every((part) => part.isWhole))
  })
}

for (const [what, body, problem] of brokenBodies) {
  test(`MultipartParser refuses ${what}`, () => {
    assert.match(recordParts('BnD', [bytesOf(body)]).problem ?? 'none', problem)
  })
}

for (const [what, body] of bodies) {
  test(`MultipartParser reports the same for ${what} with every cut, and byte by byte`, () => {
    const bytes = bytesOf(body)
    const expected = recordParts('BnD', [bytes])
    const indices = Array.from({ length: bytes.length + 1 }, (_, index) => index)
    assert.deepEqual(recordParts('BnD', cutAt(bytes, indices)), expected, 'byte by byte')
    for (const index of indices)
      assert.deepEqual(recordParts('BnD', cutAt(bytes, [index])), expected, `cut at ${index}`)
  })
}

test('MultipartParser accepts boundaries of 1 to 1000 characters, whatever they are', () => {
  const boundaries = [
    'B',
    "a'()+_-./:?z",
    '-'.repeat(40),
    'a'.repeat(246),
    'a'.repeat(247),
    'ab'.repeat(500),
    'caf\xe9 "',
  ]
  for (const boundary of boundaries) {
    const content = `a\r\n--${boundary}x\r\n--${boundary.slice(0, -1)}!\r\nb`
    const body = bytesOf(`--${boundary}\r\n${fileHead}${content}\r\n--${boundary}--\r\n`)
    assert.deepEqual(parseOutcome(boundary, [body]), { file: content })
    for (let index = 0; index <= body.length; index += 1) {
      assert.deepEqual(parseOutcome(boundary, cutAt(body, [index])), { file: content }, `cut at ${index}`)
    }
  }
})

test('MultipartParser accepts as many parts as partsMax and no more', () => {
  const body = (count: number) => bytesOf(`${`--BnD\r\n${fieldHead}x\r\n`.repeat(count)}--BnD--`)
  const limits = { ...testLimits, partsMax: 3 }
  assert.equal(recordParts('BnD', [body(2)], limits).problem, null)
  assert.equal(recordParts('BnD', [body(3)], limits).problem, null)
  const { parts, problem } = recordParts('BnD', [body(4)], limits)
  assert.match(problem ?? '', /more than 3 parts/)
  assert.equal(parts.length, 3)
})

test('MultipartParser accepts a part head of partHeadBytesMax bytes and no more, in any chunks', () => {
  const limits = { ...testLimits, partHeadBytesMax: 200 }
  for (const [byteCount, isTaken] of [
    [199, true],
    [200, true],
    [201, false],
  ] as const) {
    const padding = byteCount - fileHead.length - 'X: \r\n'.length
    const body = bytesOf(`--BnD\r\nX: ${'x'.repeat(padding)}\r\n${fileHead}${csv}\r\n--BnD--`)
    for (let index = 0; index <= body.length; index += 1) {
      const { parts, problem } = recordParts('BnD', cutAt(body, [index]), limits)
      assert.equal(problem === null, isTaken, `${byteCount} bytes, cut at ${index}: ${problem}`)
      assert.equal(parts.length, isTaken ? 1 : 0)
    }
  }
})

test('MultipartParser refuses a part head that never ends as soon as it is too long', () => {
  const parser = new MultipartParser('BnD', testLimits, { head() {}, data() {}, end() {} })
  parser.push(bytesOf(`--BnD\r\nX: ${'x'.repeat(10_236)}`))
  assert.throws(() => parser.push(bytesOf('x')), { code: 'BAD_MULTIPART' })
})

test('MultipartParser yields slices of the chunk, and copies only possible parts of a delimiter', () => {
  const given: Uint8Array[] = []
  const data = (bytes: BorrowedBytes) => void given.push(viewOf(bytes))
  const parser = new MultipartParser('BnD', testLimits, { head() {}, data, end() {} })
  parser.push(bytesOf(`--BnD\r\n${fileHead}`))
  const first = new Uint8Array(bytesOf('0123456789\r\n--Bn'))
  const second = new Uint8Array(bytesOf('x\r\nabc'))
  parser.push(first)
  // A caller may reuse its buffer once push() has returned; bytes held back must not change with it.
  first.fill(0x3f, 10)
  parser.push(second)
  const [before, held, after] = given
  assert.equal(given.length, 3)
  assert.equal(before?.buffer, first.buffer)
  assert.equal(before?.byteOffset, first.byteOffset)
  assert.equal(Buffer.from(held ?? []).toString(), '\r\n--Bn')
  assert.notEqual(held?.buffer, first.buffer)
  assert.equal(after?.buffer, second.buffer)
  assert.equal(after?.length, second.length)
})

test('MultipartParser lets the caller reuse its buffer in the middle of a part head', () => {
  const names: (string | null)[] = []
  const parser = new MultipartParser('BnD', testLimits, {
    head: (head) => names.push(head.name),
    data() {},
    end() {},
  })
  const chunk = new Uint8Array(16)
  const body = bytesOf(ofFile(csv))
  for (let at = 0; at < body.length; at += chunk.length) {
    const length = body.copy(chunk, 0, at, at + chunk.length)
    parser.push(chunk.subarray(0, length))
    chunk.fill(0)
  }
  parser.end()
  assert.deepEqual(names, ['file'])
})

test('MultipartParser holds back no more than a delimiter line, however hostile the content', () => {
  for (const unit of ['\r\n--Bo', '\r\n--Boundary', `\r\n--Boundary${' '.repeat(256)}`, '\r', '\r\n--Boundary-']) {
    let given = 0
    const parser = new MultipartParser('Boundary', testLimits, {
      head() {},
      data: (bytes) => (given += bytes.length),
      end() {},
    })
    parser.push(bytesOf(`--Boundary\r\n${fileHead}`))
    const body = bytesOf(`${unit}x`.repeat(300))
    for (let at = 0; at < body.length; at += 7) {
      const chunk = body.subarray(at, at + 7)
      parser.push(chunk)
      const held = at + chunk.length - given
      assert.ok(held <= '\r\n--Boundary'.length + 256 + 1, `${held} bytes held back of ${JSON.stringify(unit)}`)
    }
  }
})

test('MultipartParser ignores further input after an error, and end() reports the error', () => {
  let calls = 0
  const count = () => {
    calls += 1
  }
  const parser = new MultipartParser('BnD', testLimits, { head: count, data: count, end: count })
  assert.throws(() => parser.push(bytesOf('--BnD\r\nno colon\r\n\r\n')), { code: 'BAD_MULTIPART' })
  parser.push(bytesOf(`\r\n${ofFile(csv)}`))
  assert.throws(() => parser.end(), { code: 'BAD_MULTIPART' })
  assert.equal(calls, 0)
})

test('MultipartParser ignores further input after end()', () => {
  let calls = 0
  const count = () => {
    calls += 1
  }
  const parser = new MultipartParser('BnD', testLimits, { head: count, data: count, end: count })
  parser.end()
  parser.push(bytesOf(ofFile(csv)))
  parser.end()
  assert.equal(calls, 0)
})

for (const method of ['head', 'data', 'end'] as const) {
  test(`MultipartParser rethrows what ${method}() throws, and ignores further input`, () => {
    const calls: string[] = []
    const call = (name: string) => () => {
      calls.push(name)
      if (name === method) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: 1 })
    }
    const parser = new MultipartParser('BnD', testLimits, {
      head: call('head'),
      data: call('data'),
      end: call('end'),
    })
    assert.throws(() => parser.push(bytesOf(ofFile(csv))), { code: 'FILE_TOO_LARGE' })
    assert.equal(calls.at(-1), method)
    parser.push(bytesOf(ofFile(csv)))
    assert.equal(calls.at(-1), method)
    assert.equal(calls.filter((name) => name === method).length, 1)
    assert.throws(() => parser.end(), { code: 'BAD_MULTIPART' })
  })
}

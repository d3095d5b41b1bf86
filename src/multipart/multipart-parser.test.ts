// Tests of multipart-parser.ts: what is a part, whatever chunks a body comes in, and the limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BorrowedBytes, viewOf } from '../core/borrowed-bytes.ts'
import { ServiceError } from '../core/errors.ts'
import { createMultipartParser } from './multipart-parser.ts'
import { bytesOf, cutAt, parseOutcome, recordParts, testLimits } from './record-parts.testing.ts'

const fileHead = 'Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
const fieldHead = 'Content-Disposition: form-data; name="field"\r\n\r\n'
const csv = 'id,name\r\n1,Anna\r\n2,Bob\r\n'
const ofFile = (content: string, close = '\r\n--BnD--\r\n') => `--BnD\r\n${fileHead}${content}${close}`

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1')

/** Body, and the contents of its parts in order. The boundary is BnD. */
const wholeBodies: readonly (readonly [what: string, body: string, contents: readonly string[]])[] = [
  ['a file', ofFile(csv), [csv]],
  ['a file without a final line end', ofFile('a,b\r\n1,2'), ['a,b\r\n1,2']],
  ['a file that ends with CR', ofFile('a\r'), ['a\r']],
  ['a file that ends with empty lines', ofFile('a\r\n\r\n\r\n'), ['a\r\n\r\n\r\n']],
  ['a file that begins with a line end', ofFile('\r\na'), ['\r\na']],
  ['a closing delimiter at the very end', ofFile(csv, '\r\n--BnD--'), [csv]],
  [
    'fields round a file',
    `--BnD\r\n${fieldHead}1\r\n${ofFile(csv, `\r\n--BnD\r\n${fieldHead}2\r\n--BnD--`)}`,
    ['1', csv, '2'],
  ],
  ['an empty file', ofFile(''), ['']],
  [
    'a part whose empty line is also that of the delimiter',
    `--BnD\r\n${fieldHead}--BnD\r\n${fieldHead}x\r\n--BnD--`,
    ['', 'x'],
  ],
  ['a part without headers', '--BnD\r\n\r\nabc\r\n--BnD--', ['abc']],
  ['a part without headers and content', '--BnD\r\n\r\n--BnD--', ['']],
  ['a preamble', `preamble text\r\n${ofFile(csv)}`, [csv]],
  ['a preamble that is an empty line', `\r\n${ofFile(csv)}`, [csv]],
  ['a preamble that looks like the delimiter', `--BnDx\r\n--Bn\r\n --BnD\r\n${ofFile(csv)}`, [csv]],
  ['an epilogue', `${ofFile(csv)}epilogue\r\n--BnD\r\n${fileHead}no\r\n--BnD--`, [csv]],
  ['text right after the closing delimiter', ofFile(csv, '\r\n--BnD--Extra'), [csv]],
  ['blanks after a delimiter', ofFile(csv, `\r\n--BnD \t \r\n${fieldHead}x\r\n--BnD--  \r\n`), [csv, 'x']],
  ['a line that begins like the delimiter', ofFile('a\r\n--BnDx\r\nb'), ['a\r\n--BnDx\r\nb']],
  ['such a line first', ofFile('--BnDx\r\nb'), ['--BnDx\r\nb']],
  ['such a line last', ofFile('a\r\n--BnDx'), ['a\r\n--BnDx']],
  ['a line of the delimiter and one hyphen', ofFile('a\r\n--BnD-\r\n--BnD-x'), ['a\r\n--BnD-\r\n--BnD-x']],
  ['a line of the delimiter, a blank and text', ofFile('a\r\n--BnD x\r\n--BnD --'), ['a\r\n--BnD x\r\n--BnD --']],
  ['a delimiter followed by CR only', ofFile('a\r\n--BnD\rb\r\n--BnD\r\r\n'), ['a\r\n--BnD\rb\r\n--BnD\r\r\n']],
  ['a delimiter followed by LF only', ofFile('a\r\n--BnD\nb'), ['a\r\n--BnD\nb']],
  [
    'delimiters that no CRLF precedes',
    ofFile('a --BnD\r\nb\n--BnD\r\nc\r--BnD--\r\n'),
    ['a --BnD\r\nb\n--BnD\r\nc\r--BnD--\r\n'],
  ],
  ['a delimiter in another case', ofFile('a\r\n--bnd\r\nb'), ['a\r\n--bnd\r\nb']],
  [
    'beginnings of the delimiter one into the other',
    ofFile('\r\r\n\r\n-\r\n--\r\n--B\r\n--BnD\r'),
    ['\r\r\n\r\n-\r\n--\r\n--B\r\n--BnD\r'],
  ],
  ['all byte values', ofFile(everyByte), [everyByte]],
  ['only the closing delimiter', '--BnD--\r\n', []],
  ['a file after the closing delimiter', `--BnD--\r\n${ofFile(csv)}`, []],
  ['no bytes', '', []],
  ['one line end', '\r\n', []],
  ['five letters', 'abcde', []],
  ['text without a delimiter', 'hello world\r\n--BnX\r\n', []],
  ['half a delimiter', '--Bn', []],
  ['a delimiter, a blank and a hyphen', 'text\r\n--BnD -', []],
]

/** Body that must be refused, and a word of the problem. */
const brokenBodies: readonly (readonly [what: string, body: string, problem: RegExp])[] = [
  ['a body that ends in content', ofFile(csv, ''), /ends before the closing/],
  ['a body that ends before the delimiter', ofFile(csv, '\r\n'), /ends before the closing/],
  ['a closing delimiter without its hyphens', ofFile(csv, '\r\n--BnD\r\n'), /ends before the closing/],
  ['a closing delimiter with one hyphen', ofFile(csv, '\r\n--BnD-'), /ends before the closing/],
  ['a body that ends in a part head', '--BnD\r\nContent-Disposition: form-data; name="fi', /ends before the closing/],
  ['a body that ends after the first delimiter', '--BnD\r\n', /ends before the closing/],
  ['a body that ends right after the boundary', '--BnD', /ends before the closing/],
  ['a part that ends in its head', '--BnD\r\nHeader: value\r\n--BnD--', /ends before the closing/],
  ['LF line ends', ofFile(csv).replaceAll('\r\n', '\n'), /LF, wanted CRLF/],
  ['LF line ends after a preamble', `x\r\n${ofFile(csv).replaceAll('\r\n', '\n')}`, /LF, wanted CRLF/],
  ['LF in a part head', ofFile(csv).replace('.csv"\r\n', '.csv"\n'), /line end that is not CRLF/],
  ['NUL in a file name', ofFile(csv).replace('a.csv', 'a\0.csv'), /NUL/],
  ['a delimiter right after a delimiter', `--BnD\r\n${ofFile(csv)}`, /name: value/],
  ['257 blanks after a delimiter', ofFile(csv, `\r\n--BnD${' '.repeat(257)}\r\n`), /more than 256 blanks/],
]

const bodies = [...wholeBodies, ...brokenBodies]

for (const [what, body, contents] of wholeBodies) {
  test(`createMultipartParser() reads ${what}`, () => {
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
  test(`createMultipartParser() refuses ${what}`, () => {
    assert.match(recordParts('BnD', [bytesOf(body)]).problem ?? 'none', problem)
  })
}

for (const [what, body] of bodies) {
  test(`createMultipartParser() says the same of ${what} for every one and two cuts, and byte by byte`, () => {
    const bytes = bytesOf(body)
    const expected = recordParts('BnD', [bytes])
    const indices = Array.from({ length: bytes.length + 1 }, (_, index) => index)
    const byteByByte = recordParts('BnD', cutAt(bytes, indices))
    assert.deepEqual(byteByByte, expected, 'byte by byte')
    for (const first of indices) {
      for (const second of indices.slice(first)) {
        const actual = recordParts('BnD', cutAt(bytes, [first, second]))
        // Comparing texts first spares most of the time of a deep comparison, of which there are half a million.
        if (JSON.stringify(actual) !== JSON.stringify(expected)) {
          assert.deepEqual(actual, expected, `cut at ${first} and ${second}`)
        }
      }
    }
  })
}

test('createMultipartParser() takes boundaries of 1 to 1000 characters, whatever they are', () => {
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

test('createMultipartParser() takes as many parts as partsMax and no more', () => {
  const body = (count: number) => bytesOf(`${`--BnD\r\n${fieldHead}x\r\n`.repeat(count)}--BnD--`)
  const limits = { ...testLimits, partsMax: 3 }
  assert.equal(recordParts('BnD', [body(2)], limits).problem, null)
  assert.equal(recordParts('BnD', [body(3)], limits).problem, null)
  const { parts, problem } = recordParts('BnD', [body(4)], limits)
  assert.match(problem ?? '', /more than 3 parts/)
  assert.equal(parts.length, 3)
})

test('createMultipartParser() takes a part head of partHeadBytesMax bytes and no more, in any chunks', () => {
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

test('createMultipartParser() refuses a part head that never ends as soon as it is too long', () => {
  const parser = createMultipartParser('BnD', testLimits, { head() {}, data() {}, end() {} })
  parser.push(bytesOf(`--BnD\r\nX: ${'x'.repeat(10_236)}`))
  assert.throws(() => parser.push(bytesOf('x')), { code: 'BAD_MULTIPART' })
})

test('createMultipartParser() hands out slices of the chunk, and copies only what may begin a delimiter', () => {
  const given: Uint8Array[] = []
  const data = (bytes: BorrowedBytes) => void given.push(viewOf(bytes))
  const parser = createMultipartParser('BnD', testLimits, { head() {}, data, end() {} })
  parser.push(bytesOf(`--BnD\r\n${fileHead}`))
  const first = new Uint8Array(bytesOf('0123456789\r\n--Bn'))
  const second = new Uint8Array(bytesOf('x\r\nabc'))
  parser.push(first)
  // A caller may use its buffer again once push has returned: what was held back must not change with it.
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

test('createMultipartParser() lets the caller use its buffer again in the middle of a part head', () => {
  const names: (string | null)[] = []
  const parser = createMultipartParser('BnD', testLimits, {
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

test('createMultipartParser() holds back no more than a delimiter line, however hostile the content', () => {
  for (const unit of ['\r\n--Bo', '\r\n--Boundary', `\r\n--Boundary${' '.repeat(256)}`, '\r', '\r\n--Boundary-']) {
    let given = 0
    const parser = createMultipartParser('Boundary', testLimits, {
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

test('createMultipartParser() takes nothing more after an error, and end() then says so', () => {
  let calls = 0
  const count = () => {
    calls += 1
  }
  const parser = createMultipartParser('BnD', testLimits, { head: count, data: count, end: count })
  assert.throws(() => parser.push(bytesOf('--BnD\r\nno colon\r\n\r\n')), { code: 'BAD_MULTIPART' })
  parser.push(bytesOf(`\r\n${ofFile(csv)}`))
  assert.throws(() => parser.end(), { code: 'BAD_MULTIPART' })
  assert.equal(calls, 0)
})

test('createMultipartParser() takes nothing more after end()', () => {
  let calls = 0
  const count = () => {
    calls += 1
  }
  const parser = createMultipartParser('BnD', testLimits, { head: count, data: count, end: count })
  parser.end()
  parser.push(bytesOf(ofFile(csv)))
  parser.end()
  assert.equal(calls, 0)
})

for (const method of ['head', 'data', 'end'] as const) {
  test(`createMultipartParser() lets through what ${method}() throws, and is then finished`, () => {
    const calls: string[] = []
    const call = (name: string) => () => {
      calls.push(name)
      if (name === method) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: 1 })
    }
    const parser = createMultipartParser('BnD', testLimits, {
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

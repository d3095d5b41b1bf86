// Tests of receiving files: which parts are used, ignored or refused, and limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, isServiceError } from '../../core/errors.ts'
import { receiveFile } from './receive-file.ts'

const limits = { fileBytesMax: 1000, requestBytesMax: 3000 }

interface Part {
  readonly name: string
  readonly fileName?: string
  readonly content: string
}

function body(...parts: readonly Part[]): Buffer {
  const texts = parts.map(({ name, fileName, content }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`
    return `--B\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`
  })
  return Buffer.from(`${texts.join('')}--B--\r\n`)
}

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<readonly Uint8Array[]> {
  for (let from = 0; from < bytes.length; from += length) yield [bytes.subarray(from, from + length)]
}

async function received(bytes: Uint8Array, pieceBytes = 7) {
  const file = await receiveFile(inPieces(bytes, pieceBytes), 'B', limits)
  const slices: Uint8Array[] = []
  for await (const chunk of file.chunks) slices.push(...chunk.map((slice) => Uint8Array.from(slice)))
  return { ...file, content: Buffer.concat(slices).toString() }
}

function refuses(bytes: Uint8Array, code: ErrorCode): Promise<void> {
  return assert.rejects(received(bytes), (error) => isServiceError(error, code))
}

const csv: Part = { name: 'file', fileName: 'a.csv', content: 'id\r\n1\r\n' }

test('receiveFile() yields the bytes of the file part, however the body is split', async () => {
  const bytes = body({ name: 'note', content: 'x' }, csv, { name: 'after', content: 'y' })
  for (let length = 1; length <= bytes.length; length++) {
    const file = await received(bytes, length)
    assert.equal(file.content, csv.content)
    assert.equal(file.name, 'a.csv')
  }
})

test('receiveFile() keeps the parts dialect and schema, and no other texts', async () => {
  const dialect = { name: 'dialect', content: '{"delimiter":";"}' }
  const { texts } = await received(body(dialect, { name: 'other', content: 'x' }, csv))
  assert.deepEqual([...texts], [['dialect', dialect.content]])
})

test('receiveFile() reads a dialect with a byte order mark, and refuses one that is not UTF-8', async () => {
  const { texts } = await received(body({ name: 'dialect', content: '\ufeff{}' }, csv))
  assert.deepEqual([...texts], [['dialect', '{}']])
  const latin1 = Buffer.from(body({ name: 'dialect', content: '{"delimiter":"\xa6"}' }, csv).toString(), 'latin1')
  await refuses(latin1, 'BAD_PARAMETER')
})

test('receiveFile() refuses a dialect or schema after the file, or a second one', async () => {
  for (const name of ['dialect', 'schema']) {
    const option = { name, content: '{}' }
    await refuses(body(csv, option), 'BAD_PARAMETER')
    await refuses(body(option, csv, option), 'BAD_PARAMETER')
    await refuses(body(option, option, csv), 'BAD_PARAMETER')
    assert.equal((await received(body(csv, { ...option, name: name.toUpperCase() }))).content, csv.content)
  }
})

test('receiveFile() requires a part named file with a file name', async () => {
  await refuses(body(), 'MISSING_FILE_PART')
  await refuses(body({ name: 'file', content: 'x' }), 'MISSING_FILE_PART')
  await refuses(body({ ...csv, name: 'File' }), 'MISSING_FILE_PART')
})

test('receiveFile() refuses a nameless file part beside a named one, and ignores an empty one', async () => {
  const nameless = { ...csv, fileName: '' }
  await refuses(body(nameless), 'MISSING_FILE_PART')
  await refuses(body(nameless, csv), 'TWO_FILE_PARTS')
  await refuses(body(csv, nameless), 'TWO_FILE_PARTS')
  for (const parts of [
    [{ ...nameless, content: '' }, csv],
    [csv, { ...nameless, content: '' }],
  ]) {
    const file = await received(body(...parts))
    assert.deepEqual([file.content, file.notes()], [csv.content, []])
  }
})

test('receiveFile() ignores settings that are not a JSON object, wherever they are, and notes them', async () => {
  for (const parts of [
    [{ name: 'schema', content: 'public' }, csv],
    [csv, { name: 'dialect', content: 'excel' }],
    [{ name: 'schema', content: '' }, { name: 'schema', content: '{}' }, csv],
  ]) {
    const file = await received(body(...parts))
    assert.equal(file.content, csv.content)
    assert.deepEqual(
      file.notes().map(({ code }) => code),
      ['PARTS_IGNORED'],
    )
  }
  assert.deepEqual([...(await received(body({ name: 'schema', content: ' {}' }, csv))).texts], [['schema', ' {}']])
})

test('receiveFile() refuses a second file part, an empty one, and a body that ends early', async () => {
  await refuses(body(csv, csv), 'TWO_FILE_PARTS')
  await refuses(body({ ...csv, content: '' }), 'EMPTY_FILE')
  await refuses(body(csv).subarray(0, -6), 'BAD_MULTIPART')
})

test('receiveFile() allows a file of exactly the limit and refuses one byte more, in any part', async () => {
  assert.equal((await received(body({ ...csv, content: 'x'.repeat(1000) }))).content.length, 1000)
  await refuses(body({ ...csv, content: 'x'.repeat(1001) }), 'FILE_TOO_LARGE')
  await refuses(body({ name: 'note', content: 'x'.repeat(1001) }, csv), 'FILE_TOO_LARGE')
})

test('receiveFile() allows a body of exactly the limit and refuses one byte more', async () => {
  const fill = (bytes: number) => Buffer.concat([body(csv), Buffer.alloc(bytes - body(csv).length, 'e')])
  assert.equal((await received(fill(3000))).content, csv.content)
  await refuses(fill(3001), 'REQUEST_TOO_LARGE')
})

test('receiveFile() stops reading the body when the receiver of the file stops', async () => {
  let closed = false
  async function* source() {
    try {
      yield* inPieces(body({ ...csv, content: 'x'.repeat(900) }), 50)
    } finally {
      closed = true
    }
  }
  const file = await receiveFile(source(), 'B', limits)
  for await (const _ of file.chunks) break
  assert.ok(closed)
})

// Tests of multipart time: bodies and part heads designed to be slow take time in proportion to their length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MultipartParser } from '../../../src/multipart/multipart-parser.ts'
import { readPartHead } from '../../../src/multipart/part-head.ts'
import { cpuMs } from '../../support/cpu-time.ts'

const megabyte = 1_048_576
const filled = (piece: string, bytes: number) => Buffer.alloc(bytes, piece, 'latin1')

/** The lowest CPU time of three runs, so that other load on the machine does not count. */
function quickestMs(work: () => void): number {
  return Math.min(...Array.from({ length: 3 }, () => cpuMs(work)))
}

const long = 'a'.repeat(1_000)
/** Boundaries, and contents in which they nearly occur often. */
const nearly: Readonly<Record<string, readonly [boundary: string, piece: string]>> = {
  'prefixes of the delimiter': ['BnD', '\r\n--Bn'],
  'prefixes of a long delimiter of one letter': [long, `\r\n--${long.slice(1)}`],
  'line ends': ['BnD', '\r\n'],
  hyphens: ['----', '-'],
  'letters of the boundary': [long, 'a'],
  'delimiters with a wrong end': ['BnD', '\r\n--BnD x'],
  'multipart within multipart': ['BnD', '\r\n--BnE\r\nContent-Type: multipart/mixed; boundary=BnE\r\n\r\n'],
}

test('hostile bodies are read in time in proportion to their length', () => {
  for (const [what, [boundary, piece]] of Object.entries(nearly)) {
    const head = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="a[a][a]"\r\n\r\n`)
    const read = (bytes: number) => () => {
      const parser = new MultipartParser(boundary, { partsMax: 100, partHeadBytesMax: 10_240 }, nobody)
      parser.push(head)
      const content = filled(piece, bytes)
      for (let at = 0; at < bytes; at += 65_536) parser.push(content.subarray(at, at + 65_536))
    }
    const [small, large] = [quickestMs(read(megabyte)), quickestMs(read(8 * megabyte))]
    // Eight times as many bytes may take a little more than eight times as long, but nowhere near 64 times.
    assert.ok(large < 24 * small + 50, `${what}: ${small} ms for 1 MB, ${large} ms for 8`)
    // The slowest takes 10 to 20 times as long. If the parser searched for the whole delimiter, one would take 150 times.
    const visited = quickestMs(() => visit(filled(piece, 8 * megabyte)))
    assert.ok(large < 60 * visited, `${what}: ${large} ms for 8 MB, ${visited} ms to visit their bytes`)
  }
})

/** The least a program can do with each byte: shows how fast the machine is. */
function visit(bytes: Buffer): number {
  let mixed = 0
  for (let at = 0; at < bytes.length; at += 1) mixed = (Math.imul(mixed, 31) + bytes[at]!) | 0
  return mixed
}

const nobody = { head: () => {}, data: () => {}, end: () => {} }

test('hostile part heads are read in time in proportion to their length', () => {
  const lines: readonly ((bytes: number) => string)[] = [
    (bytes) => `Content-Disposition: form-data; name="${'\\"'.repeat(bytes / 2)}"`,
    (bytes) => `Content-Disposition: form-data; name="file"; filename="${'\\'.repeat(bytes)}`,
    (bytes) => `Content-Disposition: form-data${'; a=b'.repeat(bytes / 5)}`,
    (bytes) => `Content-Disposition: form-data;${' '.repeat(bytes)}x`,
    (bytes) => `Content-Disposition: form-data; filename*=UTF-8''${'%e8'.repeat(bytes / 3)}`,
    (bytes) => `Content-Disposition: ${';'.repeat(bytes)}`,
    (bytes) => `X-A:${' \t'.repeat(bytes / 2)}x`,
    (bytes) => `X-A: b${'\r\n c'.repeat(bytes / 4)}`,
    (bytes) => `Content-Type: text/csv;${'a="'.repeat(bytes / 3)}`,
  ]
  for (const line of lines) {
    const ms = quickestMs(() => {
      try {
        readPartHead(Buffer.from(`${line(65_536)}\r\n\r\n`, 'latin1'))
      } catch {
        // A refusal has to be as quick.
      }
    })
    assert.ok(ms < 50, `${line(20)}: ${ms} ms for 64 KB`)
  }
})

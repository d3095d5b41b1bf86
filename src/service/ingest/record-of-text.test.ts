// Tests of record of text: a text is read alike, whatever was read before it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileScanner } from '../../reading/scanner/file-scanner.ts'
import type { FileScanOptions } from '../../reading/scanner/scanner.ts'
import { createScanner } from '../../reading/scanner/wasm-scanner.ts'
import { recordReader } from './record-of-text.ts'

const plain: FileScanOptions = {
  encoding: 'utf-8',
  delimiter: 44,
  quote: 34,
  escape: null,
  comment: 35,
  skipInitialSpace: false,
  lineEnd: 'lf',
  width: 3,
  padsShort: false,
  recordBytesMax: 1_048_576,
  start: { byteOffset: 0, records: 0, lines: 0 },
}
const layouts: readonly FileScanOptions[] = [
  plain,
  { ...plain, delimiter: 0xa6, skipInitialSpace: true },
  { ...plain, lineEnd: 'cr', padsShort: true },
  { ...plain, escape: 92, isEscapeDeclared: true, doublesToo: true },
  { ...plain, escape: 'nothing', unusualLineEnd: '\n\r' },
]

test('recordReader() reads a text as a new reader would, after any others', () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  let state = seed
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const parts = [
    'a',
    'é',
    '"',
    '"',
    ',',
    ',',
    ',',
    '¦',
    '¦',
    '\\',
    '#',
    '\n',
    '\r',
    ' ',
    '\0',
    '\ufeff',
    '""',
    '\ud800',
  ]
  const create = createFileScanner(createScanner)
  const counts = { record: 0, refused: 0 }
  for (const layout of layouts) {
    const used = recordReader(create, layout)
    for (let round = 0; round < 3_000; round++) {
      const isUsual = random(2) === 0
      const usual = ['x', '"y, z"', 'é'].join(String.fromCharCode(layout.delimiter))
      const text = isUsual ? usual : Array.from({ length: random(9) }, () => parts[random(parts.length)]).join('')
      const seen = used(text)
      assert.deepEqual(seen, recordReader(create, layout)(text), `SEED=${seed} round ${round} ${JSON.stringify(text)}`)
      counts[seen.kind]++
    }
  }
  assert.ok(counts.record > 5_000 && counts.refused > 1_000, JSON.stringify(counts))
})

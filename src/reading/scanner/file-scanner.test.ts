// Tests of file scanner and transcoder: any encoding is read like its UTF-8 twin, and positions refer to the original.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createDecoder } from '../encoding/decoder.ts'
import { createFileScanner } from './file-scanner.ts'
import { type FileScanOptions, ignoredCount, type Scanner, type ScanResult } from './scanner.ts'
import { everyCut, markedText } from './scanner-cases.testing.ts'
import { shownReject } from './shown-reject.ts'
import { createScanner } from './wasm-scanner.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
console.log(`seed ${seed}`)

const options: FileScanOptions = {
  encoding: 'utf-8',
  delimiter: 0x2c,
  quote: 0x22,
  escape: null,
  comment: null,
  skipInitialSpace: false,
  lineEnd: 'lf',
  width: 2,
  recordBytesMax: 10_000,
  start: { byteOffset: 0, records: 0, lines: 0 },
}

/** Every character that can be written in the encoding, found by decoding, with its bytes. */
function alphabetOf(encoding: string): Map<string, Buffer> {
  const alphabet = new Map<string, Buffer>()
  const decode = createDecoder(encoding, 'strict')
  const add = (bytes: Buffer) => {
    try {
      const text = decode(bytes, true)
      if (Array.from(text).length === 1 && text !== '\ufffd' && !alphabet.has(text)) alphabet.set(text, bytes)
    } catch {
      // Not a character of this encoding.
    }
  }
  for (let byte = 0x20; byte < 0x100; byte++) add(Buffer.of(byte))
  for (const control of ['\n', '\r']) alphabet.set(control, Buffer.from(control))
  for (let lead = 0x81; lead < 0xff; lead += 7)
    for (let trail = 0x30; trail < 0xff; trail += 3) add(Buffer.of(lead, trail))
  return alphabet
}

const encoders: Readonly<Record<string, (text: string) => Buffer>> = {
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'utf-32le': (text) => utf32(text, true),
  'utf-32be': (text) => utf32(text, false),
}

function utf32(text: string, isLittle: boolean): Buffer {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const bytes = Buffer.alloc(points.length * 4)
  points.forEach((point, i) => {
    if (isLittle) bytes.writeUInt32LE(point, i * 4)
    else bytes.writeUInt32BE(point, i * 4)
  })
  return bytes
}

interface Outcome
  extends Omit<ScanResult, 'pieces' | 'isVerbatim' | 'consumedTo' | 'lines' | 'repairedLines' | 'otherEscapeLines'> {
  readonly text: string
}

function scan(scanner: Scanner, bytes: Uint8Array, cut: (left: number) => number): Outcome {
  const all: ScanResult[] = []
  for (let from = 0; from < bytes.length; ) {
    const length = Math.min(cut(bytes.length - from), bytes.length - from)
    // The scanner may use a chunk only until its output has been taken.
    const chunk = Uint8Array.from(bytes.subarray(from, from + length))
    const scanned = scanner.push(chunk)
    all.push({ ...scanned, pieces: scanned.pieces.map((piece) => Uint8Array.from(piece)) })
    chunk.fill(0x58)
    from += length
  }
  const last = scanner.end()
  assert.equal(last.consumedTo, bytes.length)
  all.push(last)
  return {
    text: Buffer.concat(all.flatMap(({ pieces }) => pieces)).toString(),
    accepted: all.reduce((sum, { accepted }) => sum + accepted, 0),
    runaways: all.flatMap(({ runaways }) => runaways),
    ignored: all.flatMap(({ ignored }) => ignored),
    rejects: all.flatMap(({ rejects }) => rejects),
  }
}

/** The bytes of accepted records. */
function acceptedBytes(bytes: Buffer, { ignored, rejects }: Pick<Outcome, 'ignored' | 'rejects'>): Buffer {
  const others = [...ignored, ...rejects]
  const from = [0, ...others.map(({ endOffset }) => endOffset)].toSorted((a, b) => a - b)
  const to = [...others.map(({ byteOffset }) => byteOffset), bytes.length].toSorted((a, b) => a - b)
  return Buffer.concat(from.map((start, i) => bytes.subarray(start, to[i])))
}

let state = seed + 1
const random = (below: number) => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return (state >>> 8) % below
}

/** Two columns of letters, with an occasional wrong width, quoted line end or blank line. */
function randomCsv(letters: readonly string[]): string {
  const word = () => Array.from({ length: random(6) }, () => letters[random(letters.length)]).join('')
  const record = () => {
    const kind = random(10)
    if (kind === 0) return word()
    if (kind === 1) return `${word()},${word()},${word()}`
    if (kind === 2) return ''
    if (kind === 3) return `"${word()}\n${word()}",${word()}`
    if (kind === 4) return `"${word()}"x,${word()}`
    return `${word()},${word()}`
  }
  const end = random(2) === 0 ? '\n' : '\r\n'
  return Array.from({ length: 12 }, () => record() + end).join('')
}

const legacy = [
  'windows-1252',
  'macintosh',
  'ibm850',
  'koi8-r',
  'windows-1251',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'gbk',
  'big5',
  'euc-kr',
]
for (const encoding of [...Object.keys(encoders), ...legacy]) {
  test(`createFileScanner() reads ${encoding} like UTF-8, however it is split, with the same rejects`, () => {
    const alphabet = encoders[encoding] === undefined ? alphabetOf(encoding) : null
    const letters = alphabet ? [...alphabet.keys()].filter((one) => !/[,"\r\n]/.test(one)) : ['a', 'ü', '漢', '😀', ' ']
    const encode = (text: string) =>
      encoders[encoding]?.(text) ?? Buffer.concat(Array.from(text, (one) => alphabet?.get(one) ?? assert.fail(one)))
    for (let round = 0; round < 60; round++) {
      const text = randomCsv(letters)
      const bytes = encode(text)
      const utf8 = scan(createScanner(options), Buffer.from(text), (left) => left)
      const create = createFileScanner(createScanner)
      const outcome = scan(create({ ...options, encoding }), bytes, () => 1 + random(40))
      assert.equal(outcome.text, utf8.text, `seed ${seed} round ${round}`)
      assert.deepEqual([outcome.accepted, ignoredCount(outcome)], [utf8.accepted, ignoredCount(utf8)])
      const accepted = acceptedBytes(Buffer.from(text), utf8).toString()
      assert.equal(createDecoder(encoding, 'replace')(acceptedBytes(bytes, outcome), true), accepted)
      assert.deepEqual(
        outcome.rejects.map((reject) => [reject.record, reject.line, reject.reason, reject.column]),
        utf8.rejects.map((reject) => [reject.record, reject.line, reject.reason, reject.column]),
      )
      outcome.rejects.forEach((reject, i) => {
        const twin = utf8.rejects[i] ?? assert.fail()
        const original = bytes.subarray(reject.byteOffset, reject.byteOffset + reject.byteLength)
        const wanted = Buffer.from(text)
          .subarray(twin.byteOffset, twin.byteOffset + twin.byteLength)
          .toString()
        assert.equal(createDecoder(encoding, 'replace')(original, true), wanted, `seed ${seed} round ${round}`)
      })
    }
  })
}

for (const encoding of Object.keys(encoders)) {
  test(`createFileScanner() reads U+FEFF at the start of records in ${encoding} as a character`, () => {
    const bytes = encoders[encoding]?.('\ufeff,b\n\ufeff\nc,d,e\n') ?? assert.fail()
    for (const step of [1, 5, bytes.length]) {
      const { text, rejects } = scan(createFileScanner(createScanner)({ ...options, encoding }), bytes, () => step)
      assert.equal(text, '\ufeff,b\n')
      const places = rejects.map(({ byteOffset, byteLength }) => bytes.subarray(byteOffset, byteOffset + byteLength))
      assert.deepEqual(places, [encoders[encoding]?.('\ufeff'), encoders[encoding]?.('c,d,e')])
    }
  })
}

for (const encoding of ['windows-1252', 'koi8-r', 'utf-16le', 'gbk']) {
  const isBytewise = encoding === 'windows-1252' || encoding === 'koi8-r'
  const which = isBytewise ? 'pieces with the bytes of the file' : 'no pieces'
  test(`createFileScanner() marks ${which} as verbatim in ${encoding}`, () => {
    const alphabet = encoders[encoding] === undefined ? alphabetOf(encoding) : null
    const letters = alphabet ? [...alphabet.keys()].filter((one) => !/[,"\r\n]/.test(one)) : ['a', 'ü', '漢']
    const encode = (text: string) =>
      encoders[encoding]?.(text) ?? Buffer.concat(Array.from(text, (one) => alphabet?.get(one) ?? assert.fail(one)))
    let verbatimBytes = 0
    for (let round = 0; round < 60; round++) {
      const bytes = encode(randomCsv(letters))
      const scanner = createFileScanner(createScanner)({ ...options, encoding })
      let from = 0
      for (let at = 0; at < bytes.length; ) {
        const count = 1 + random(40)
        const { isVerbatim, pieces, consumedTo } = scanner.push(bytes.subarray(at, at + count))
        const wanted = createDecoder(encoding, 'replace')(bytes.subarray(from, consumedTo), true)
        if (isVerbatim) {
          assert.equal(Buffer.concat(pieces).toString(), wanted, `seed ${seed} round ${round}`)
          verbatimBytes += consumedTo - from
        }
        from = consumedTo
        at += count
      }
    }
    assert.equal(verbatimBytes > 0, isBytewise)
  })
}

for (const [encoding, delimiter] of [
  ['utf-8', '§'],
  ['utf-8', '、'],
  ['utf-16le', '；'],
  ['utf-16be', '¦'],
  ['windows-1252', '§'],
] as const) {
  test(`createFileScanner() reads ${encoding} with the delimiter ${delimiter} as it does with commas`, () => {
    const encode = encoders[encoding] ?? ((text: string) => Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'latin1'))
    const letters = [
      'a',
      'ü',
      '\u001f',
      '\u001e',
      'Â',
      delimiter,
      ...(encoding === 'windows-1252' ? [] : ['漢', '\ufffd']),
    ]
    const other = (text: string) =>
      Array.from(text, (one) => (one === ',' ? delimiter : one === delimiter ? ',' : one)).join('')
    for (let round = 0; round < 60; round++) {
      const text = randomCsv(letters)
      const bytes = encode(other(text))
      const twin = scan(createScanner(options), Buffer.from(text), (left) => left)
      const create = createFileScanner(createScanner)
      const scanner = create({ ...options, encoding, delimiter: delimiter.charCodeAt(0) })
      const outcome = scan(scanner, bytes, () => 1 + random(40))
      assert.equal(outcome.text, other(twin.text), `seed ${seed} round ${round}`)
      const shown = ({ rejects }: Outcome) =>
        rejects.map(({ record, line, reason, column }) => [record, line, reason, column])
      assert.deepEqual(shown(outcome), shown(twin))
      outcome.rejects.forEach((reject, i) => {
        const { byteOffset, byteLength } = twin.rejects[i] ?? assert.fail()
        const wanted = Buffer.from(text)
          .subarray(byteOffset, byteOffset + byteLength)
          .toString()
        const original = bytes.subarray(reject.byteOffset, reject.byteOffset + reject.byteLength)
        assert.deepEqual(original, encode(other(wanted)), `seed ${seed} round ${round}`)
      })
    }
  })
}

test('createFileScanner() rejects only the record with an invalid byte, at its position in the original', () => {
  const wrong: readonly [string, Buffer, number][] = [
    [
      'utf-16le',
      Buffer.concat([Buffer.from('a,b\nc,', 'utf16le'), Buffer.of(0, 0xdc), Buffer.from('\ne,f\n', 'utf16le')]),
      12,
    ],
    ['utf-32le', Buffer.concat([utf32('a,b\nc,', true), Buffer.of(0, 0, 0x11, 0), utf32('\ne,f\n', true)]), 24],
    ['shift_jis', Buffer.concat([Buffer.from('a,b\nc,'), Buffer.of(0x81, 0x20), Buffer.from('\ne,f\n')]), 6],
    ['euc-kr', Buffer.concat([Buffer.from('a,b\nc,'), Buffer.of(0xff), Buffer.from('\ne,f\n')]), 6],
  ]
  for (const [encoding, bytes, offset] of wrong) {
    for (let step = 1; step <= bytes.length; step++) {
      const scanner = createFileScanner(createScanner)({ ...options, encoding })
      const { text, rejects } = scan(scanner, bytes, () => step)
      assert.equal(text, 'a,b\ne,f\n', encoding)
      assert.deepEqual(
        rejects.map(({ reason, record, column, detail }) => ({ reason, record, column, detail })),
        [{ reason: 'invalid_bytes', record: 2, column: 2, detail: offset }],
        `${encoding} in steps of ${step}`,
      )
      assert.match(shownReject(rejects[0]!).message, new RegExp(`offset ${offset}\\b`))
    }
  }
})

test('createFileScanner() treats half a character at the end of a file as an invalid byte', () => {
  const bytes = Buffer.concat([Buffer.from('a,b\nc,d', 'utf16le'), Buffer.of(0x41)])
  const { rejects } = scan(createFileScanner(createScanner)({ ...options, encoding: 'utf-16le' }), bytes, () => 3)
  assert.deepEqual(
    rejects.map(({ reason, byteOffset, byteLength }) => ({ reason, byteOffset, byteLength })),
    [{ reason: 'invalid_bytes', byteOffset: 8, byteLength: 7 }],
  )
})

/** Bytes in live buffers: garbage is collected first, since the collector would otherwise choose its own time. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // exposed by the flag
  // Memory found free by the first run may be released in the background until the second.
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}

test('createFileScanner() measures a line of 80 MB in bytes of the original without keeping it', () => {
  const scanner = createFileScanner(createScanner)({ ...options, encoding: 'utf-16le' })
  const piece = Buffer.from('ä,'.repeat(250_000), 'utf16le')
  const before = heldBytes()
  scanner.push(Buffer.from('1,2\n', 'utf16le'))
  for (let i = 0; i < 80; i++) scanner.push(piece)
  const grown = heldBytes() - before
  const { rejects } = scanner.end()
  assert.deepEqual(
    rejects.map(({ reason, byteOffset, byteLength }) => ({ reason, byteOffset, byteLength })),
    [{ reason: 'record_too_long', byteOffset: 8, byteLength: 80 * piece.length }],
  )
  // The last pieces, in the original encoding and in UTF-8.
  assert.ok(grown < 10_000_000, `${grown} bytes more`)
})

test('exclude() rejects readable records at their position in the original', () => {
  const text = 'ä,b\n"c\nü",d\nx\ne,f'
  const encoded: readonly (readonly [string, Buffer, readonly (readonly [number, number])[]])[] = [
    [
      'utf-8',
      Buffer.from(text),
      [
        [5, 8],
        [16, 3],
      ],
    ],
    [
      'utf-16le',
      Buffer.from(text, 'utf16le'),
      [
        [8, 14],
        [28, 6],
      ],
    ],
    [
      'windows-1252',
      Buffer.from(text, 'latin1'),
      [
        [4, 7],
        [14, 3],
      ],
    ],
  ]
  for (const [encoding, bytes, places] of encoded) {
    const scanner = createFileScanner(createScanner)({ ...options, encoding })
    scanner.exclude([2, 3])
    const outcome = scan(scanner, bytes, () => 5)
    assert.deepEqual([outcome.text, outcome.accepted], ['ä,b\n', 1])
    const excluded = outcome.rejects.filter(({ reason }) => reason === 'constraint')
    assert.deepEqual(
      excluded.map(({ byteOffset, byteLength }) => [byteOffset, byteLength]),
      places,
      encoding,
    )
    assert.deepEqual(
      excluded.map(({ record, line, detail }) => [record, line, detail]),
      [
        [2, 2, 2],
        [4, 5, 3],
      ],
    )
  }
})

test('createFileScanner() places rejects in linear time', () => {
  // A tenth of a second each; searching for each place from the start of the input took minutes.
  const before = process.cpuUsage()
  const line = Buffer.from('"a"b,\x83\x41,c\n', 'latin1')
  for (const encoding of ['windows-1252', 'shift_jis', 'gb18030', 'iso-2022-jp', 'utf-16le']) {
    const bytes = encoding === 'utf-16le' ? Buffer.from(line.toString('latin1'), 'utf16le') : line
    const piece = Buffer.concat(Array.from({ length: 10_000 }, () => bytes))
    const scanner = createFileScanner(createScanner)({ ...options, encoding })
    const rejects = [...scanner.push(piece).rejects, ...scanner.end().rejects]
    assert.deepEqual(
      [rejects.length, rejects.at(-1)?.byteOffset, rejects.at(-1)?.byteLength],
      [10_000, 9_999 * bytes.length, bytes.length - bytes.length / line.length],
      encoding,
    )
  }
  assert.ok(process.cpuUsage(before).user < 8_000_000)
})

test('createFileScanner() finds the rejects in any encoding, with any delimiter and line end', () => {
  const text = '1;a\n2\n"3";b\n4;c;d\n5;e\n6'
  const marked = '1;a\n<2>"3";b\n<4>5;e\n<6>'
  const cases: readonly [Partial<FileScanOptions>, Buffer, string][] = [
    [{ delimiter: 59 }, Buffer.from(text), marked],
    [{ delimiter: 59, encoding: 'utf-16le' }, Buffer.from(text, 'utf16le'), marked],
    [{ delimiter: 0xa6 }, Buffer.from(text.replaceAll(';', '\u00a6')), marked.replaceAll(';', '\u00c2\u00a6')],
    [
      { delimiter: 59, unusualLineEnd: '\r\r\n' },
      Buffer.from(text.replaceAll('\n', '\r\r\n')),
      marked.replaceAll('\n', '\r\n'),
    ],
  ]
  for (const [given, bytes, wanted] of cases) {
    for (const chunks of everyCut(bytes)) {
      const scanner = createFileScanner(createScanner)({ ...options, ...given, marksRejects: true })
      const { marked: seen, readable } = markedText(scanner, chunks)
      assert.equal(seen, wanted, JSON.stringify(given))
      assert.deepEqual(readable, [1, 2, 3], JSON.stringify(given))
    }
  }
})

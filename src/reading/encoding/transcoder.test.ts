// Tests of the transcoder: single-byte encodings against the platform, byte by byte, and U+FFFD that is in a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { createDecoder } from './decoder.ts'
import { Transcoder } from './transcoder.ts'

const encodings = [
  'windows-1252',
  'windows-1251',
  'windows-1253',
  'iso-8859-15',
  'macintosh',
  'koi8-r',
  'ibm850',
  'ibm037',
]

/** What each byte becomes; 0xFF where it stands for no character. */
function utf8OfBytes(encoding: string): readonly Buffer[] {
  const decode = createDecoder(encoding, 'replace')
  return Array.from({ length: 256 }, (_, byte) => {
    const character = decode(Uint8Array.of(byte), true)
    return character === '\ufffd' ? Buffer.of(0xff) : Buffer.from(character)
  })
}

for (const encoding of encodings) {
  const utf8 = utf8OfBytes(encoding)
  const transcoder = new Transcoder(encoding)
  const assertUtf8 = (bytes: Uint8Array): void => {
    const wanted = Buffer.concat(Array.from(bytes, (byte) => utf8[byte] as Buffer))
    assert.deepEqual(Buffer.from(transcoder.push(bytes).utf8), wanted, Buffer.from(bytes).toString('hex'))
  }

  test(`Transcoder reads ${encoding} at any alignment, mostly ASCII or not`, () => {
    const below = randomFrom(7)
    for (let turn = 0; turn < 400; turn++) {
      const start = below(8)
      const room = new Uint8Array(start + below(40))
      const highEvery = [1, 4, 20, 1_000][below(4)] as number
      for (let at = start; at < room.length; at++) room[at] = below(highEvery) === 0 ? below(256) : below(128)
      assertUtf8(room.subarray(start))
    }
    // More than is converted at once.
    assertUtf8(Uint8Array.from({ length: 150_001 }, () => below(256)))
  })

  test(`Transcoder reads each byte of ${encoding} at each place of a word`, () => {
    for (let byte = 0; byte < 256; byte++) {
      for (let at = 0; at < 7; at++) {
        const bytes = new Uint8Array(7).fill(encoding === 'ibm037' ? 0xc1 : 0x61)
        bytes[at] = byte
        assertUtf8(bytes)
      }
    }
  })
}

for (const encoding of ['utf-32le', 'utf-32be']) {
  test(`Transcoder tells U+FFFD in ${encoding} from wrong characters`, () => {
    const points = [0xfffd, 0x1f600, 0xd83f, 0xfffd, 0x61]
    const bytes = Buffer.alloc(4 * points.length)
    for (const [i, point] of points.entries()) {
      if (encoding === 'utf-32le') bytes.writeUInt32LE(point, 4 * i)
      else bytes.writeUInt32BE(point, 4 * i)
    }
    const cut = Buffer.concat([bytes, bytes.subarray(0, 2)])
    const wanted = Buffer.concat([Buffer.from('\ufffd😀'), Buffer.of(0xff), Buffer.from('\ufffda'), Buffer.of(0xff)])
    for (const step of [1, 7, cut.length]) {
      const transcoder = new Transcoder(encoding)
      const blocks = []
      for (let at = 0; at < cut.length; at += step) blocks.push(transcoder.push(cut.subarray(at, at + step)))
      blocks.push(transcoder.end())
      assert.deepEqual(Buffer.concat(blocks.map(({ utf8 }) => utf8)), wanted)
    }
  })
}

test('Transcoder leaves bytes as they are that come in odd pieces', () => {
  const bytes = Buffer.from('a,é\n😀,z\n'.repeat(50), 'utf16le').swap16()
  const transcoder = new Transcoder('utf-16be')
  const blocks = []
  for (let from = 0; from < bytes.length; from += 7)
    blocks.push(transcoder.push(Uint8Array.from(bytes.subarray(from, from + 7))))
  blocks.push(transcoder.end())
  assert.deepEqual(Buffer.concat(blocks.map(({ original }) => original)), bytes)
  assert.equal(Buffer.concat(blocks.map(({ utf8 }) => utf8)).toString(), 'a,é\n😀,z\n'.repeat(50))
})

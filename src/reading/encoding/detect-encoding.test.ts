// Tests of encoding detection: byte order marks, patterns and proofs, and offsets of lines in the original bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Encoding } from '../../core/receipt.ts'
import { byteOffsetAfter, decodeHead, detectEncoding } from './detect-encoding.ts'

const found = (bytes: Uint8Array, declared?: string) => {
  const { encoding, isGuess } = detectEncoding(bytes, declared)
  return `${encoding.name}${encoding.bom ? ' with mark' : ''}${isGuess ? ', a guess' : ''}`
}
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16()
const wide = (text: string, isBig: boolean) => {
  const bytes = Buffer.alloc([...text].length * 4)
  for (const [at, point] of [...text].entries()) {
    if (isBig) bytes.writeUInt32BE(point.codePointAt(0) ?? 0, at * 4)
    else bytes.writeUInt32LE(point.codePointAt(0) ?? 0, at * 4)
  }
  return bytes
}
const text = 'id,name\n1,Zoë\n2,東京\n'

test('findEncoding() follows a byte order mark', () => {
  assert.equal(found(Buffer.from(`\ufeff${text}`)), 'utf-8 with mark')
  assert.equal(found(Buffer.from(`\ufeff${text}`, 'utf16le')), 'utf-16le with mark')
  assert.equal(found(swapped(Buffer.from(`\ufeff${text}`, 'utf16le'))), 'utf-16be with mark')
  assert.equal(found(wide(`\ufeff${text}`, false)), 'utf-32le with mark')
  assert.equal(found(wide(`\ufeff${text}`, true)), 'utf-32be with mark')
})

test('findEncoding() detects UTF-16 and UTF-32 without a mark', () => {
  assert.equal(found(Buffer.from(text, 'utf16le')), 'utf-16le')
  assert.equal(found(swapped(Buffer.from(text, 'utf16le'))), 'utf-16be')
  assert.equal(found(Buffer.from('番号,名前,住所\r\n一,田中,東京都\r\n', 'utf16le')), 'utf-16le')
  assert.equal(found(wide(text, false)), 'utf-32le')
  assert.equal(found(wide(text, true)), 'utf-32be')
})

test('findEncoding() treats a NUL in a text as damage', () => {
  assert.equal(found(Buffer.from('col1|col2|col3\nval1|val\0 2|val3\n')), 'utf-8')
})

test('findEncoding() chooses UTF-8 if at least as many lines support it as contradict it', () => {
  assert.equal(found(Buffer.from(text)), 'utf-8')
  assert.equal(found(Buffer.from('a,b\n1,2\n')), 'utf-8')
  assert.equal(found(Buffer.concat([Buffer.from(text), Buffer.from([0x33, 0xff, 0x0a])])), 'utf-8')
  assert.equal(found(Buffer.from('é,1\nü,2\nö,3\n', 'latin1')), 'windows-1252, a guess')
})

test('findEncoding() is not misled by a character truncated at the end of the head', () => {
  const bytes = Buffer.from('a,日本語\n1,東')
  for (let cut = 1; cut <= 3; cut += 1) assert.equal(found(bytes.subarray(0, bytes.length - cut)), 'utf-8')
})

test('findEncoding() follows a declaration, and refuses an unknown one', () => {
  assert.equal(found(Buffer.from('a'), 'Latin1'), 'windows-1252')
  assert.equal(found(Buffer.from('\ufeffa'), 'UTF-8'), 'utf-8 with mark')
  assert.throws(() => found(Buffer.from('a'), 'utf-9'), { code: 'BAD_PARAMETER' })
})

test('decodeHead() returns the text without its mark', () => {
  const name = (encoding: Partial<Encoding>): Encoding => ({ name: 'utf-8', bom: false, ...encoding })
  assert.equal(decodeHead(Buffer.from(`\ufeff${text}`), name({ bom: true })), text)
  assert.equal(decodeHead(wide(`\ufeff${text}`, true), name({ name: 'utf-32be', bom: true })), text)
  assert.equal(decodeHead(Buffer.from(text, 'utf16le'), name({ name: 'utf-16le' })), text)
  assert.equal(decodeHead(Buffer.from([0x61, 0xff, 0x62]), name({})), 'a\ufffdb')
})

test('byteOffsetAfter() counts line ends in the original bytes', () => {
  const offset = (bytes: Uint8Array, name: string, bom: boolean, count: number) =>
    byteOffsetAfter(bytes, { name, bom }, 0x0a, count)
  assert.equal(offset(Buffer.from(`\ufeff${text}`), 'utf-8', true, 1), 11)
  assert.equal(offset(Buffer.from(`\ufeff${text}`), 'utf-8', true, 0), 3)
  assert.equal(offset(Buffer.from(text, 'utf16le'), 'utf-16le', false, 2), 28)
  // U+0A41 and U+410A contain the byte of LF, but are not line ends.
  assert.equal(offset(Buffer.from('\u0a41\u410a\nb', 'utf16le'), 'utf-16le', false, 1), 6)
  assert.equal(offset(swapped(Buffer.from('\u0a41\u410a\nb', 'utf16le')), 'utf-16be', false, 1), 6)
  assert.equal(offset(wide(text, true), 'utf-32be', false, 1), 32)
  assert.equal(offset(Buffer.from([0xff, 0x0a, 0x61]), 'utf-8', false, 1), 2)
  assert.equal(offset(Buffer.from('a\n'), 'utf-8', false, 5), 2)
})

test('findEncoding() recognizes ISO-2022-JP by its escapes', () => {
  assert.equal(found(Buffer.from('\x1b$BHV9f\x1b(B,1\n', 'latin1')), 'iso-2022-jp')
})

test('findEncoding() rejects lines of an unknown encoding, and refuses a text full of them', () => {
  const few = Buffer.concat([Buffer.from('id,name\n1,plain\n'), Buffer.from([0x61, 0xff, 0xfe, 0x0a])])
  assert.equal(found(few), 'windows-1252, a guess')
  assert.equal(found(Buffer.concat([Buffer.from('x,Zoë\n'), few])), 'utf-8')
  assert.throws(() => found(Buffer.from('89846b0a94856b819496a495a325f16bf2', 'hex')), { code: 'NOT_READABLE' })
})

for (const [what, text] of [
  ['Cyrillic', 'имя,город\nАнна,Москва\nПётр,Тверь\n'],
  ['Arabic', 'الاسم,المدينة\nمحمد,القاهرة\n'],
  ['Thai', 'ชื่อ,เมือง\r\nสมชาย,เชียงใหม่\r\n'],
  ['Greek', 'όνομα,πόλη\nΓιώργος,Αθήνα\n'],
  ['Han', '姓名\n王小明\n李娜\n欧阳修的文章在这里很长很长很长很长很长很长很长很长\n'],
] as const) {
  test(`detectEncoding() detects UTF-16 of ${what} without a mark`, () => {
    const little = Buffer.from(text.repeat(5), 'utf16le')
    assert.equal(detectEncoding(little).encoding.name, 'utf-16le')
    assert.equal(detectEncoding(Buffer.from(little).swap16()).encoding.name, 'utf-16be')
  })
}

test('detectEncoding() does not take a text with a NUL or two for UTF-16', () => {
  for (const text of ['a,b\n\0c,d\n', 'Zo\xeb,1\n\0J\xfc,2\nx\xe9,3\n', 'a,\0b\n', '\0\n', 'имя,\0\n']) {
    for (const encoding of ['utf8', 'latin1'] as const) {
      const { name } = detectEncoding(Buffer.from(text, encoding)).encoding
      assert.ok(!name.startsWith('utf-16'), `${name} for ${JSON.stringify(text)} in ${encoding}`)
    }
  }
})

// Tests of readable headers: no name contains a replacement character, and a note says how invalid bytes were read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHead } from '../read-head.ts'

const utf8Body = 'Zoë;1\nJürgen;2\nÅsa;3\nŁukasz;4\n'
const cyrillic = Buffer.from([0xe8, 0xec, 0xff, 0x3b, 0xe3, 0xee, 0xf0, 0xee, 0xe4, 0x0a]) // `имя;город` in windows-1251

const cases: readonly [
  what: string,
  file: Buffer,
  names: readonly string[],
  readAs: string | null,
  encoding?: string,
][] = [
  ['one byte of another encoding', bytes('caf\xe9;n\n'), ['café', 'n'], 'windows-1252'],
  [
    'one beside UTF-8 characters',
    Buffer.concat([Buffer.from('caf\xe9;', 'latin1'), Buffer.from(`größe\n${utf8Body}`)]),
    ['café', 'größe'],
    'windows-1252',
  ],
  ['a byte that is in quotes', bytes('"caf\xe9;x";n\n'), ['café;x', 'n'], 'windows-1252'],
  [
    'only characters in another encoding',
    Buffer.concat([cyrillic, Buffer.from(utf8Body)]),
    ['имя', 'город'],
    'windows-1251',
  ],
  ['a character cut short', bytes('na\xc3;n\n'), ['naÃ', 'n'], 'windows-1252'],
  [
    'one after a byte order mark',
    Buffer.concat([Buffer.from('\ufeff'), bytes('caf\xe9;n\n')]),
    ['café', 'n'],
    'windows-1252',
  ],
  [
    'one after titles',
    Buffer.concat([Buffer.from('A title of the table\n\n'), bytes('caf\xe9;n\n')]),
    ['café', 'n'],
    'windows-1252',
  ],
  ['its own replacement character', Buffer.from(`na\ufffd;n\n${utf8Body}`), ['na\ufffd', 'n'], null],
  [
    'a byte that stands for no character',
    Buffer.from([0x61, 0xd2, 0x3b, 0x6e, 0x0a, 0xe1, 0x3b, 0x31, 0x0a]),
    ['aÒ', 'n'],
    'iso-8859-1',
    'windows-1253',
  ],
  [
    'half a character of Shift_JIS',
    Buffer.from([0x61, 0x81, 0x3b, 0x6e, 0x0a, 0x83, 0x41, 0x3b, 0x31, 0x0a]),
    ['a?', 'n'],
    null,
    'shift_jis',
  ],
  ['half a pair of UTF-16', Buffer.from('a\ud800;n\n1;2\n', 'utf16le'), ['a?', 'n'], null, 'utf-16le'],
]

/** A header line and a body that makes the file UTF-8. */
function bytes(header: string): Buffer {
  return Buffer.concat([Buffer.from(header, 'latin1'), Buffer.from(utf8Body)])
}

for (const [what, file, names, readAs, encoding] of cases) {
  test(`readHead() names the columns of a header with ${what}`, () => {
    const reading = readHead(file, true, { delimiter: ';', ...(encoding !== undefined && { encoding }) })
    assert.deepEqual(reading.names, names)
    assert.deepEqual(reading.headerFields, names)
    const noted = reading.notes.filter(({ code }) => code === 'HEADER_BYTES_INVALID').map(({ message }) => message)
    if (readAs !== null)
      assert.match(noted.join(), new RegExp(`not valid in ${reading.encoding.name} .*read as ${readAs}`))
    else assert.equal(noted.length, names.some((name) => name.includes('?')) ? 1 : 0)
  })
}

// Multipart bodies: small bodies, valid and broken, that tests of the parser share. The boundary is BnD.
export const fileHead =
  'Content-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
export const fieldHead = 'Content-Disposition: form-data; name="field"\r\n\r\n'
export const csv = 'id,name\r\n1,Anna\r\n2,Bob\r\n'
export const ofFile = (content: string, close = '\r\n--BnD--\r\n') => `--BnD\r\n${fileHead}${content}${close}`

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1')

/** Body, and the contents of its parts in order. The boundary is BnD. */
export const wholeBodies: readonly (readonly [what: string, body: string, contents: readonly string[]])[] = [
  ['a file', ofFile(csv), [csv]],
  ['a file without a final line end', ofFile('a,b\r\n1,2'), ['a,b\r\n1,2']],
  ['a file that ends with CR', ofFile('a\r'), ['a\r']],
  ['a file that ends with empty lines', ofFile('a\r\n\r\n\r\n'), ['a\r\n\r\n\r\n']],
  ['a file that begins with a line end', ofFile('\r\na'), ['\r\na']],
  ['a closing delimiter at the very end', ofFile(csv, '\r\n--BnD--'), [csv]],
  [
    'fields around a file',
    `--BnD\r\n${fieldHead}1\r\n${ofFile(csv, `\r\n--BnD\r\n${fieldHead}2\r\n--BnD--`)}`,
    ['1', csv, '2'],
  ],
  ['an empty file', ofFile(''), ['']],
  [
    'a part whose empty line also begins the delimiter',
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
    'delimiters without CRLF before them',
    ofFile('a --BnD\r\nb\n--BnD\r\nc\r--BnD--\r\n'),
    ['a --BnD\r\nb\n--BnD\r\nc\r--BnD--\r\n'],
  ],
  ['a delimiter in another case', ofFile('a\r\n--bnd\r\nb'), ['a\r\n--bnd\r\nb']],
  [
    'overlapping beginnings of the delimiter',
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

/** Body that must be rejected, and a word of the problem. */
export const brokenBodies: readonly (readonly [what: string, body: string, problem: RegExp])[] = [
  ['a body that ends in content', ofFile(csv, ''), /ends before the closing/],
  ['a body that ends before the delimiter', ofFile(csv, '\r\n'), /ends before the closing/],
  ['a closing delimiter without its hyphens', ofFile(csv, '\r\n--BnD\r\n'), /ends before the closing/],
  ['a closing delimiter with one hyphen', ofFile(csv, '\r\n--BnD-'), /ends before the closing/],
  ['a body that ends in a part head', '--BnD\r\nContent-Disposition: form-data; name="fi', /ends before the closing/],
  ['a body that ends after the first delimiter', '--BnD\r\n', /ends before the closing/],
  ['a body that ends right after the boundary', '--BnD', /ends before the closing/],
  ['a part that ends in its head', '--BnD\r\nHeader: value\r\n--BnD--', /ends before the closing/],
  ['LF line ends', ofFile(csv).replaceAll('\r\n', '\n'), /LF, expected CRLF/],
  ['LF line ends after a preamble', `x\r\n${ofFile(csv).replaceAll('\r\n', '\n')}`, /LF, expected CRLF/],
  ['LF in a part head', ofFile(csv).replace('.csv"\r\n', '.csv"\n'), /line end that is not CRLF/],
  ['NUL in a file name', ofFile(csv).replace('a.csv', 'a\0.csv'), /NUL/],
  ['a delimiter right after a delimiter', `--BnD\r\n${ofFile(csv)}`, /name: value/],
  ['257 blanks after a delimiter', ofFile(csv, `\r\n--BnD${' '.repeat(257)}\r\n`), /more than 256 blanks/],
]

/** All of them, without their outcomes. */
export const bodies: readonly (readonly [what: string, body: string])[] = [...wholeBodies, ...brokenBodies].map(
  ([what, body]) => [what, body],
)

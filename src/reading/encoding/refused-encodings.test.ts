// Tests of refused encodings: named when declared or proven, and plain ASCII is never taken for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectEncoding } from './detect-encoding.ts'

const labels: readonly [label: string, command: string][] = [
  ['UTF-7', 'iconv -f UTF-7'],
  ['unicode-1-1-utf-7', 'iconv -f UTF-7'],
  [' HZ ', 'uconv -f HZ'],
  ['hz-gb-2312', 'uconv -f HZ'],
  ['ISO-2022-KR', 'iconv -f ISO-2022-KR'],
  ['csISO2022KR', 'iconv -f ISO-2022-KR'],
  ['iso-2022-cn', 'iconv -f ISO-2022-CN-EXT'],
  ['iso-2022-cn-ext', 'iconv -f ISO-2022-CN-EXT'],
]

for (const [label, command] of labels) {
  test(`detectEncoding() refuses the declared encoding ${JSON.stringify(label)}, and says how to convert it`, () => {
    const message = `Cannot use parameter 'encoding': '${label}', expected an encoding that browsers read, too: convert the file with ${command} -t UTF-8, and send that`
    assert.throws(() => detectEncoding(Buffer.from('a,b\n'), label), { code: 'BAD_PARAMETER', message })
  })
}

const proven: readonly [name: string, command: string, text: string][] = [
  ['ISO-2022-KR', 'iconv -f ISO-2022-KR', "\x1b$)C\x0e@L8'\x0f,\x0e55=C\x0f\n1,\x0e<-?o\x0f\n"],
  ['ISO-2022-CN', 'iconv -f ISO-2022-CN-EXT', 'id,\x1b$)A\x0eLX\x0f\n1,2\n'],
  ['ISO-2022-CN', 'iconv -f ISO-2022-CN-EXT', 'id,\x1b$)G\x0eLX\x0f\n1,2\n'],
  ['ISO-2022-CN', 'iconv -f ISO-2022-CN-EXT', 'id,\x1b$)E\x0eLX\x0f\n1,2\n'],
]

for (const [name, command, text] of proven) {
  test(`detectEncoding() refuses ${JSON.stringify(text.slice(0, 12))} as ${name}, unless another encoding is declared`, () => {
    const problem = `it is in ${name}, which browsers do not read either; convert the file with ${command} -t UTF-8, and send that`
    const message = `Cannot read file as CSV: ${problem}`
    assert.throws(() => detectEncoding(Buffer.from(text, 'latin1')), { code: 'NOT_READABLE', message })
    assert.equal(detectEncoding(Buffer.from(text, 'latin1'), 'utf-8').encoding.name, 'utf-8')
  })
}

const ascii: readonly string[] = [
  'a,b\n+AGE-,+AGI-\n+AUE-ukasz,1 +- 1\n',
  // Placeholders, a single shift, and a pair that is not closed.
  'template\n~{NAME~}\n~{CITYNAME~}\n',
  '~{PUC{~},b\n',
  '~{PUC{~},~{3GJP~}\n~{1,2\n',
  'grade\nA+\nB+-\nA+,x\n',
  'template\n~{name~}\n~{city~}\n',
  // A designator without a shift, a shift without a designator, and colors of a terminal.
  'a\n\x1b$)C\n',
  'a\n\x0eb\x0f\n',
  '\x1b[31mred\x1b[0m,1\n',
]

for (const text of ascii) {
  test(`detectEncoding() reads ${JSON.stringify(text.slice(0, 20))} as what it is, ASCII`, () => {
    const { encoding, isGuess } = detectEncoding(Buffer.from(text, 'latin1'))
    assert.deepEqual([encoding.name, isGuess], ['utf-8', false])
  })
}

test('detectEncoding() doubts ASCII in which all texts between the shifts of HZ are Chinese', () => {
  for (const text of [
    '~{1`:E~},~{PUC{~},~{3GJP~}\n1,~{UEH}7a~},~{11>)JP~}\n',
    '~{PUC{~},~{3GJP~}\n~{MuP!C7~},~~1~~\n',
  ]) {
    const { encoding, isGuess, doubt } = detectEncoding(Buffer.from(text))
    assert.deepEqual([encoding.name, isGuess], ['utf-8', true])
    assert.match(doubt ?? '', /uconv -f HZ -t UTF-8/)
    assert.equal(detectEncoding(Buffer.from(text), 'utf-8').isGuess, false)
  }
})

// Tests of the part `dialect`: what is accepted, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { readDeclaredDialect } from './parse-dialect.ts'

test('readDeclaredDialect() accepts the members of a Frictionless Table Dialect', () => {
  const some = { delimiter: ';', quoteChar: null, header: false, skipRows: 2 }
  const read = { ...some, headerRows: [1, 2], headerJoin: '-', lineTerminator: '\r' }
  assert.deepEqual(readDeclaredDialect({ $schema: 'x', ...read }), read)
})

test('readDeclaredDialect() accepts any one character as delimiter, and a comma with its space', () => {
  for (const delimiter of ['§', '\u0001', '、', ', ', ' ']) {
    assert.deepEqual(readDeclaredDialect({ delimiter }), { delimiter })
  }
})

const refused: readonly [string, RegExp][] = [
  ['[]', /not a JSON object/],
  ['null', /not a JSON object/],
  ['{"delimiter":";;"}', /'delimiter' is ";;", expected one character/],
  ['{"delimiter":"\\n"}', /expected one character/],
  ['{"delimiter":"😀"}', /expected one character/],
  ['{"quoteChar":"«"}', /expected one ASCII character or null/],
  ['{"header":"yes"}', /expected true or false/],
  ['{"skipRows":1001}', /expected a whole number from 0 to 1000/],
  ['{"skipRows":-1}', /expected a whole number/],
  ['{"lineTerminator":";"}', /'lineTerminator' is ";", expected "\\r\\n", "\\n" or "\\r"/],
  ['{"headerRows":[0]}', /expected at most 100 whole numbers from 1/],
  ['{"headerRows":1}', /expected at most 100 whole numbers/],
  ['{"headerJoin":null}', /expected a text/],
  ['{"delimeter":";"}', /unknown member 'delimeter'/],
  ['{"__proto__":{"delimiter":";"}}', /unknown member '__proto__'/],
  ['{"constructor":1}', /unknown member 'constructor'/],
]
for (const [text, message] of refused) {
  test(`readDeclaredDialect() refuses ${text}`, () => {
    assert.throws(
      () => readDeclaredDialect(JSON.parse(text)),
      (error) => isServiceError(error, 'BAD_PARAMETER') && message.test(error.message),
    )
  })
}

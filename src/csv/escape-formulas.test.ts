// Tests of the formula guard: it escapes every cell that a spreadsheet program would calculate, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { createFormulaEscape } from './escape-formulas.ts'

const seed = Number(process.env.SEED ?? (Date.now() % 1_000_000) + 1)

function guarded(text: string): string {
  return Buffer.concat(createFormulaEscape(',')(Buffer.from(text))).toString()
}

test('createFormulaEscape() puts an apostrophe before each start that OWASP lists', () => {
  for (const start of ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠']) {
    assert.equal(guarded(`${start}x,a\n`), `"'${start}x",a\n`)
    assert.equal(guarded(`a,"${start}x"\n`), `a,"'${start}x"\n`)
    assert.equal(guarded(`a,${start}\r\n`), `a,"'${start}"\r\n`)
  }
  for (const start of ['\r', '\n']) assert.equal(guarded(`"${start}x"\n`), `"'${start}x"\n`)
})

test('createFormulaEscape() leaves plain numbers and everything else as they are', () => {
  const numbers = ['-5', '+3.2', '-.5', '-5.', '+1e9', '-1.5E-7', '+0012']
  const texts = ['', '""', 'a=b', ' =1', "'=1", '"a""=1"', '\uff1c', 'ｗ', '１']
  for (const cell of [...numbers, ...numbers.map((one) => `"${one}"`), ...texts]) {
    assert.equal(guarded(`${cell},${cell}\n${cell}\n`), `${cell},${cell}\n${cell}\n`)
  }
})

test('createFormulaEscape() treats only plain numbers as numbers', () => {
  for (const cell of ['-1+1', '--1', '-', '+', '-1-', '+1,', '-0x10', '-1 ', '-1e', '-e1', '-.', '-1.2.3', '-∞']) {
    assert.equal(guarded(`"${cell}"\n`), `"'${cell}"\n`, cell)
  }
  assert.equal(guarded(`-${'1'.repeat(500)}\n`), `"'-${'1'.repeat(500)}"\n`)
})

test(`createFormulaEscape() changes exactly those cells of any records (SEED=${seed})`, () => {
  const cell = fc.oneof(
    fc.constantFrom('=1', '-5', '-a', '@', '', 'x', '＝1', '"', '=","', '\r\n=1', '\t', '+1', '\r'),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(cell, fc.boolean()), { minLength: 2, maxLength: 4 })), (records) => {
      const write = (text: string, isQuoted: boolean) => {
        return isQuoted || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
      }
      const text = records
        .map((one) => `${one.map(([value, isQuoted]) => write(value, isQuoted)).join(',')}\r\n`)
        .join('')
      const read = parse(guarded(text), { relax_column_count: true, record_delimiter: '\r\n' })
      const wanted = records.map((one) =>
        one.map(([value]) => {
          const isFormula = /^[=+\-@\t\r\n＝＋－＠]/.test(value)
          const isNumber = /^[-+](\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(value)
          return isFormula && !isNumber ? `'${value}` : value
        }),
      )
      assert.deepEqual(read, wanted)
    }),
    { seed },
  )
})

test('createFormulaEscape() leaves values of typed columns unchanged in every format', () => {
  const escaped = (text: string) => Buffer.concat(createFormulaEscape(';', [true, false])(Buffer.from(text))).toString()
  for (const value of ['-1.234,56', "-1'000", '+3 000', '-1\u00a0000,5', '-0044-03-15', '-']) {
    assert.equal(escaped(`${value};a\n${value};b\r\n`), `${value};a\n${value};b\r\n`)
    assert.equal(escaped(`a;${value}\n`), `a;"'${value}"\n`)
  }
  for (const value of ['=1', '@1', '-cmd', '-1)', '+A1', '\t1', '-1|2', '-"1']) {
    const cell = value.replaceAll('"', '""')
    assert.equal(escaped(`"${cell}";a\n`), `"'${cell}";a\n`)
  }
})

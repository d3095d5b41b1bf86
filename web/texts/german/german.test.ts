// Tests of the German sentences: every code of the service has one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnFacts, valueClasses } from '../../../src/core/column-facts.ts'
import { errorTable, ServiceError } from '../../../src/core/errors.ts'
import { evidenceInWords } from '../../../src/core/evidence/evidence.ts'
import { noteCodes } from '../../../src/core/notes.ts'
import { type Column, rejectReasons } from '../../../src/core/receipt.ts'
import { refuseNuls, refuseSignature, signatureKinds } from '../../../src/reading/encoding/binary-signatures.ts'
import { columnFormat, columnTypeName, decideTypes } from '../../../src/reading/types/infer-types.ts'
import type { ShownReceipt } from '../shown-receipt.ts'
import { germanWhy } from './columns.ts'
import { germanEvidence } from './evidence.ts'
import { germanFailure, germanKind, introductions, sentences } from './failures.ts'
import { germanNote } from './notes.ts'
import { germanReject } from './rejects.ts'

const receipt: ShownReceipt = {
  encoding: { name: 'utf-8', bom: false },
  dialect: { delimiter: ',', header: true },
  records: { accepted: 1_200, rejected: 3, header: 1 },
  columns: [],
  evidence: evidenceInWords({
    encoding: '',
    dialect: { code: 'best', delimiter: ',', width: 2, fitting: 1_200, records: 1_203 },
    header: { code: 'columns', typed: 1, unlike: 0, like: 1, isUncertain: false, lines: [1] },
  }),
  notes: [],
}
const column = (type: string, more: Partial<Column> = {}): Column => ({
  name: 'zip',
  type,
  nulls: 200,
  why: '',
  ...more,
})
const whyOf = (one: Column, more: Partial<ShownReceipt> = {}) => germanWhy({ ...receipt, columns: [one], ...more }, 0)

test('germanNote() has a complete sentence for every code, and names the column', () => {
  for (const code of noteCodes) assert.match(germanNote(code) ?? '', /^[A-ZÄÖÜ].*\.$/, code)
  assert.match(germanNote('LEADING_ZEROS', 'zip') ?? '', /^Spalte zip: Werte haben führende Nullen/)
  assert.equal(germanNote('toString'), null)
})

test('germanReject() has a text for every reason, of records and of corrections, and names the column', () => {
  const columns = ['id', 'name']
  for (const reason of [...rejectReasons, 'several_records', 'no_record']) {
    assert.ok((germanReject(reason, { column: null, columns }) ?? '').length > 5, reason)
  }
  assert.equal(germanReject('too_few_fields', { column: null, columns }), 'zu wenige Felder, erwartet werden 2')
  assert.match(germanReject('constraint', { column: 2, columns }) ?? '', /^Spalte name: /)
  assert.equal(germanReject('toString', { column: null, columns }), null)
})

test('germanFailure() has a sentence for the exception of every error, and the message if it says more', () => {
  for (const [code, { exception }] of Object.entries(errorTable)) {
    assert.match(germanFailure({ exception })?.text ?? '', /^[A-ZÄÖÜ].*\.$/, code)
  }
  const names = new Set(Object.values(errorTable).map(({ exception }) => exception.replace(/.*\./, '')))
  assert.deepEqual(
    [...Object.keys(sentences), ...Object.keys(introductions)].filter((name) => !names.has(name)),
    [],
  )
  assert.equal(germanFailure({ exception: errorTable.QUERY_FAILED.exception })?.needsMessage, true)
  assert.equal(germanFailure({ exception: 'csvupload.UnheardOfException' }), null)
})

test('germanFailure() says what a file is if it is not CSV', () => {
  for (const kind of [...signatureKinds, 'an HTML page', 'an XML document', 'a JSON document'])
    assert.notEqual(germanKind(kind), null, kind)
  const heads = ['PK\x03\x04 xl/', 'PK\x03\x04 word/', 'PK\x03\x04', `PK\x03\x04${ods}`, '\0'.repeat(100)]
  for (const head of heads) {
    const refusal = refusalOf(Buffer.from(head, 'latin1'))
    const { text } = germanFailure(refusal) ?? { text: '' }
    assert.match(text, /^Die Datei ist eine? .*, kein CSV\. /, head)
  }
})
const ods = 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet'

function refusalOf(head: Uint8Array) {
  try {
    refuseSignature(head)
    refuseNuls(head)
  } catch (error) {
    assert.ok(error instanceof ServiceError)
    const { exception, details }: ServiceError = error
    return { exception, details }
  }
  throw new Error('it was not refused')
}

test('germanWhy() has a reason for every type that values can have', () => {
  for (const name of valueClasses) {
    const first = [0, 1]
    const classes = { [name]: { count: 2, first, digits: { wholeMax: 3, scaleMin: 2, scaleMax: 2 } } }
    const facts: ColumnFacts = { records: 2, nulls: 0, nullWords: {}, classes }
    const [decision] = decideTypes([facts], undefined)
    const format = columnFormat(decision!.type)
    const type = columnTypeName(decision!.type)
    assert.notEqual(whyOf(column(type, { ...(format !== undefined && { format }) })), null, `${name}: ${type}`)
  }
  assert.equal(whyOf(column('unheard of')), null)
})

test('germanWhy() counts values, names null words and formats, and says why a column stays text', () => {
  assert.equal(whyOf(column('integer')), 'alle 1.000 Werte sind ganze Zahlen')
  assert.equal(whyOf(column('integer', { nulls: 1_199 })), 'der einzige Wert ist eine ganze Zahl')
  assert.equal(
    whyOf(column('decimal(9,2)', { format: '1.234,56', nullWords: ['NA', ''] })),
    'alle 1.000 Werte sind Zahlen mit 2 Nachkommastellen, geschrieben wie 1.234,56, abgesehen von Wörtern für null (NA, leerer Text in Anführungszeichen)',
  )
  const notes = [{ code: 'LEADING_ZEROS', message: '', column: 'zip', lines: [2, 3, 5, 7] }]
  assert.equal(whyOf(column('text'), { notes }), 'Text: Werte haben führende Nullen (Zeilen 2, 3, 5 …)')
  assert.equal(whyOf(column('text')), 'Text: nicht alle Werte passen zu einem anderen Typ')
  assert.equal(whyOf(column('text', { nulls: 1_200 })), 'Text: es gibt keinen Wert')
  assert.equal(
    whyOf(column('text'), { schema: { fields: [{ name: 'plz', type: 'string' }] } }),
    'im Schema festgelegt als string',
  )
})

test('germanEvidence() says how a file was read from the figures that the English sentences are made of', () => {
  assert.deepEqual(germanEvidence(receipt), [
    'Zeichensatz utf-8: Die Bytes am Anfang der Datei passen dazu.',
    'Trennzeichen „,“: 1.200 von 1.203 Datensätzen am Anfang der Datei haben 2 Felder.',
    'Kopfzeile: In einer Spalte haben nur die Werte darunter einen Typ, in einer Spalte gleicht er ihnen.',
  ])
  const doubted = evidenceInWords({
    encoding: '',
    dialect: {
      code: 'declared',
      delimiter: '\t',
      width: 1,
      fitting: 2,
      records: 3,
      next: { delimiter: ';', percent: 80 },
    },
    header: { code: 'counting', typed: 0, unlike: 1, like: 2, isUncertain: true, lines: [] },
  })
  const notes = [{ code: 'ENCODING_GUESSED', message: '' }]
  assert.deepEqual(germanEvidence({ ...receipt, notes, evidence: doubted }), [
    'Zeichensatz utf-8: So sehen die Bytes am ehesten nach Wörtern aus.',
    'Trennzeichen Tabulator, wie angegeben: 2 von 3 Datensätzen am Anfang der Datei haben ein Feld; das nächstbeste, „;“, ergibt eine zu 80 % so gute Tabelle.',
    'Keine Kopfzeile: Die Zahlen des ersten Datensatzes zählen hoch, und in 2 Spalten kommt die eigene wieder vor; sicher ist das nicht.',
  ])
})

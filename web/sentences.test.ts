// Tests of the sentences in German: every code of the service has one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ColumnFacts, valueClasses } from '../src/core/column-facts.ts'
import { errorTable, ServiceError } from '../src/core/errors.ts'
import { evidenceInWords } from '../src/core/evidence/evidence.ts'
import { noteCodes } from '../src/core/notes.ts'
import type { Column } from '../src/core/receipt.ts'
import { rejectReasons } from '../src/core/reject-reasons.ts'
import { refuseNuls, refuseSignature, signatureKinds } from '../src/reading/encoding/binary-signatures.ts'
import { columnFormat, columnTypeName, decideTypes } from '../src/reading/types/infer-types.ts'
import type { ShownReceipt } from './check/provisional.ts'
import { germanFailures, germanIntroductions, germanKind } from './german/failures.ts'
import { germanNotes } from './german/notes.ts'

// What the language of a visit is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } })
const { evidenceSentences, failureSentences, noteLines, noteSentence, rejectSentence, whySentence } = await import(
  './sentences.ts'
)

const receipt: ShownReceipt = {
  encoding: { name: 'utf-8', bom: false },
  dialect: {
    delimiter: ',',
    quoteChar: '"',
    doubleQuote: true,
    escapeChar: null,
    lineTerminator: '\n',
    header: true,
    skipRows: 0,
    commentChar: null,
    skipInitialSpace: false,
  },
  records: { total: 1_204, header: 1, blank: 0, skipped: 0, accepted: 1_200, rejected: 3 },
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
const german = (text: string) => ({ text, lang: undefined })
const whyOf = (one: Column, more: Partial<ShownReceipt> = {}) => {
  const { text, lang } = whySentence({ ...receipt, columns: [one], ...more }, 0)
  return lang === 'en' ? null : text
}

test('noteSentence() has a complete sentence for every code, and names the column', () => {
  for (const code of noteCodes) assert.match(germanNotes[code], /^[A-ZÄÖÜ].*\.$/, code)
  const { text, lang } = noteSentence({ code: 'LEADING_ZEROS', message: '', column: 'zip' })
  assert.match(text, /^Spalte zip: Werte haben führende Nullen/)
  assert.equal(lang, undefined)
  const few = noteSentence({ code: 'FEW_MISFITS', message: '', column: 'n', values: ['7<U+00A0>', 'x'] })
  assert.match(few.text, /^Spalte n: .*; die Spalte bleibt Text\. Die ersten: „7<U\+00A0>“, „x“\.$/)
  const unknown = noteSentence({ code: 'LATER' as 'NO_HEADER', message: 'A later doubt.' })
  assert.deepEqual(unknown, { text: 'A later doubt.', lang: 'en' })
})

test('noteLines() names the lines, unless the sentence of the note does', () => {
  const lines = [3, 1_204]
  assert.equal(noteLines({ code: 'HEADER_REPEATED', message: '', lines }), 'Zeilen 3, 1.204')
  const unknown = { code: 'LATER' as 'NO_HEADER', lines }
  assert.equal(noteLines({ ...unknown, message: 'The header is repeated on lines 3 and 1204.' }), '')
  assert.equal(noteLines({ ...unknown, message: 'The first line names a delimiter.' }), 'Zeilen 3, 1.204')
  assert.equal(noteLines({ code: 'NO_HEADER', message: '' }), '')
})

test('rejectSentence() has a text for every reason, of records and of corrections, and names the column', () => {
  const columns = ['id', 'name']
  for (const reason of [...rejectReasons, 'several_records', 'no_record'] as const) {
    const { text, lang } = rejectSentence({ reason, column: null, message: '' }, columns)
    assert.ok(text.length > 5 && lang === undefined, reason)
  }
  const short = rejectSentence({ reason: 'too_few_fields', column: null, message: '' }, columns)
  assert.deepEqual(short, german('zu wenige Felder, erwartet werden 2'))
  assert.match(rejectSentence({ reason: 'constraint', column: 2, message: '' }, columns).text, /^Spalte name: /)
  const unknown = rejectSentence({ reason: 'later' as 'constraint', column: 2, message: 'later' }, columns)
  assert.deepEqual(unknown, { text: 'later', lang: 'en' })
})

test('rejectSentence() says in English what a value is not, without offsets, and leaves the value as it is', () => {
  const textOf = (message: string) =>
    rejectSentence({ reason: 'later' as 'constraint', column: null, message }, []).text
  assert.equal(textOf('day: "x" violates type date %d.%m.%Y'), 'day: "x" is no date %d.%m.%Y')
  assert.equal(
    textOf('a: b: "\\" violates type z" violates pattern a b'),
    'a: b: "\\" violates type z" does not match a b',
  )
  assert.equal(textOf('size: "7" violates maximum 5'), 'size: "7" breaks the rule maximum 5')
  assert.equal(textOf('quote opened at offset 3506 is not closed'), 'quote is not closed')
})

test('failureSentences() has a sentence for the exception of every error, and the message if it says more', () => {
  for (const [code, { exception }] of Object.entries(errorTable)) {
    assert.match(failureSentences({ exception, message: '' })[0].text, /^[A-ZÄÖÜ].*\.$/, code)
  }
  const names = new Set(Object.values(errorTable).map(({ exception }) => exception.replace(/.*\./, '')))
  assert.deepEqual(
    [...Object.keys(germanFailures), ...Object.keys(germanIntroductions)].filter((name) => !names.has(name)),
    [],
  )
  const { exception } = errorTable.QUERY_FAILED
  assert.deepEqual(failureSentences({ exception, message: 'no such column' }), [
    german('Die Abfrage ließ sich nicht ausführen.'),
    { text: 'no such column', lang: 'en' },
  ])
  const unheard = failureSentences({ exception: 'csvupload.UnheardOfException', message: 'unheard of' })
  assert.deepEqual(unheard, [{ text: 'unheard of', lang: 'en' }])
})

test('failureSentences() says what a file is if it is not CSV', () => {
  for (const kind of [...signatureKinds, 'an HTML page', 'an XML document', 'a JSON document'])
    assert.notEqual(germanKind(kind), undefined, kind)
  const heads = ['PK\x03\x04 xl/', 'PK\x03\x04 word/', 'PK\x03\x04', `PK\x03\x04${ods}`, '\0'.repeat(100)]
  for (const head of heads) {
    const refusal = refusalOf(Buffer.from(head, 'latin1'))
    assert.match(failureSentences(refusal)[0].text, /^Die Datei ist eine? .*, kein CSV\. /, head)
  }
})
const ods = 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet'

function refusalOf(head: Uint8Array) {
  try {
    refuseSignature(head)
    refuseNuls(head)
  } catch (error) {
    assert.ok(error instanceof ServiceError)
    const { exception, message, details }: ServiceError = error
    return { exception, message, details }
  }
  throw new Error('it was not refused')
}

test('whySentence() has a reason for every type that values can have', () => {
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

test('whySentence() counts values, names null words and formats, and says why a column stays text', () => {
  assert.equal(whyOf(column('integer')), 'alle 1.000 Werte sind ganze Zahlen')
  assert.equal(whyOf(column('integer', { nulls: 1_199 })), 'der einzige Wert ist eine ganze Zahl')
  assert.equal(
    whyOf(column('decimal(9,2)', { format: '1.234,56', nullWords: ['NA', ''] })),
    'alle 1.000 Werte sind Zahlen mit 2 Nachkommastellen, geschrieben wie 1.234,56, abgesehen von Wörtern für null (NA, leerer Text in Anführungszeichen)',
  )
  const notes = [{ code: 'LEADING_ZEROS', severity: 'info', message: '', column: 'zip', lines: [2, 3, 5, 7] }] as const
  const dates = column('date', { format: 'DD.MM.YYYY' })
  assert.equal(whyOf(dates), 'alle 1.000 Werte sind Datumsangaben, geschrieben wie TT.MM.JJJJ')
  assert.equal(whyOf(column('text'), { notes }), 'Text: Werte haben führende Nullen (Zeilen 2, 3, 5 …)')
  assert.equal(whyOf(column('text')), 'Text: keiner der 1.000 Werte passt zu einem anderen Typ')
  assert.equal(whyOf(column('text', { nulls: 1_200 })), 'Text: es gibt keinen Wert')
  assert.equal(
    whyOf(column('text'), { schema: { fields: [{ name: 'plz', type: 'string' }] } }),
    'im Schema festgelegt als Text',
  )
  const amount = { name: 'plz', type: 'number', format: 'decimal' } as const
  assert.equal(whyOf(column('decimal(12,2)'), { schema: { fields: [amount] } }), 'im Schema festgelegt als Dezimalzahl')
})

test('evidenceSentences() says how a file was read from the figures that the English sentences are made of', () => {
  assert.deepEqual(
    evidenceSentences(receipt),
    [
      'Zeichensatz utf-8: Die Bytes am Anfang der Datei passen dazu.',
      'Trennzeichen „,“: 1.200 von 1.203 Datensätzen am Anfang der Datei haben 2 Felder.',
      'Kopfzeile: In einer Spalte haben nur die Werte darunter einen Typ, in einer Spalte gleicht er ihnen.',
    ].map(german),
  )
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
  const notes = [{ code: 'ENCODING_GUESSED', severity: 'doubt', message: '' }] as const
  assert.deepEqual(
    evidenceSentences({ ...receipt, notes, evidence: doubted }),
    [
      'Zeichensatz utf-8: So sehen die Bytes am ehesten nach Wörtern aus.',
      'Trennzeichen Tabulator, wie angegeben: 2 von 3 Datensätzen am Anfang der Datei haben ein Feld; das nächstbeste, „;“, ergibt eine zu 80 % so gute Tabelle.',
      'Keine Kopfzeile: Die Zahlen des ersten Datensatzes zählen hoch, und in 2 Spalten kommt die eigene wieder vor; sicher ist das nicht.',
    ].map(german),
  )
})

test('a sentence of the service has counts with separators, and values of the file as they are', () => {
  const message = `'9999 values' and "8888 of" are 12345 of 20000 records (rows 1234)`
  const reason = { reason: 'unknown', column: null, message } as unknown as Parameters<typeof rejectSentence>[0]
  const text = `'9999 values' and "8888 of" are 12.345 of 20.000 records (rows 1234)`
  assert.deepEqual(rejectSentence(reason, []), { text, lang: 'en' })
})

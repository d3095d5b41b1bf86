// German reading: how a file was read and why, from the figures of the receipt, and why its columns have their types.
import type { NoteCode } from '../../src/core/notes.ts'
import type { ShownReceipt } from '../check/provisional.ts'
import { count, typeName } from '../format.ts'
import { t } from '../texts.ts'

const linesMax = 3

/** What no other type keeps of the values of a text column. */
const traits: Partial<Readonly<Record<NoteCode, string>>> = {
  LEADING_ZEROS: 'Werte haben führende Nullen',
  PLUS_SIGNS: 'Werte haben ein Pluszeichen',
  TOO_MANY_DIGITS: 'Werte haben mehr Stellen, als eine Zahl genau darstellt',
  AMBIGUOUS_DATES: 'Tag oder Monat kann vorn stehen',
  AMBIGUOUS_NUMBERS: 'ein Zeichen kann Tausender oder Nachkommastellen abtrennen',
  FEW_MISFITS: 'wenige Werte passen nicht zum Typ der anderen',
  MIXED_VALUES: 'die Werte passen nicht zu einem gemeinsamen Typ',
}

const kinds: Readonly<Record<string, readonly [one: string, many: string]>> = {
  integer: ['eine ganze Zahl', 'ganze Zahlen'],
  number: ['eine Zahl', 'Zahlen'],
  boolean: ['ein Wahrheitswert', 'Wahrheitswerte'],
  date: ['ein Datum', 'Datumsangaben'],
  time: ['eine Uhrzeit', 'Uhrzeiten'],
  timestamp: ['ein Zeitpunkt ohne Zeitzone', 'Zeitpunkte ohne Zeitzone'],
  timestamptz: ['ein Zeitpunkt mit Zeitzone', 'Zeitpunkte mit Zeitzone'],
}

export function germanWhy(receipt: ShownReceipt, at: number): string | undefined {
  const column = receipt.columns[at]
  if (column === undefined) return undefined
  const { name, type, nulls, format, nullWords = [] } = column
  if (isDeclared(receipt, at)) return `im Schema festgelegt als ${typeName(type)}`
  const values = receipt.records.accepted - nulls
  if (type === 'text') return `Text: ${values === 0 ? 'es gibt keinen Wert' : traitOf(receipt, name, values)}`
  const [one, many] = kindOf(type) ?? []
  if (one === undefined || many === undefined) return undefined
  const are = values === 1 ? `der einzige Wert ist ${one}` : `alle ${count(values)} Werte sind ${many}`
  const written = format === undefined ? '' : `, geschrieben wie ${format.replace('YYYY', 'JJJJ').replace('DD', 'TT')}`
  const words = nullWords.map((word) => (word === '' ? 'leerer Text in Anführungszeichen' : word)).join(', ')
  return `${are}${written}${words === '' ? '' : `, abgesehen von Wörtern für null (${words})`}`
}

/** Fields stand for columns by order or by name. */
function isDeclared({ schema, columns }: ShownReceipt, at: number): boolean {
  if (schema === undefined) return false
  const { fields, fieldsMatch = 'exact' } = schema
  return fields.some(({ name }) => name === columns[at]?.name) || (fieldsMatch === 'exact' && at in fields)
}

function traitOf({ notes }: ShownReceipt, column: string, values: number): string {
  const note = notes.find((one) => one.column === column && one.code in traits)
  if (note === undefined) {
    return values === 1
      ? 'der einzige Wert passt zu keinem anderen Typ'
      : `keiner der ${count(values)} Werte passt zu einem anderen Typ`
  }
  const { code, lines = [] } = note
  const shown = lines.slice(0, linesMax).map(count).join(', ')
  const more = lines.length > linesMax ? ' …' : ''
  return `${traits[code]}${shown === '' ? '' : ` (${t.lines(lines.length, shown)}${more})`}`
}

function kindOf(type: string): readonly [one: string, many: string] | undefined {
  const [, scale] = /^decimal\(\d+,(\d+)\)$/.exec(type) ?? []
  if (scale === undefined) return kinds[type]
  const places = `mit ${scale} Nachkommastelle${scale === '1' ? '' : 'n'}`
  return [`eine Zahl ${places}`, `Zahlen ${places}`]
}

const delimiterNames: Readonly<Record<string, string>> = { '\t': 'Tabulator', ' ': 'Leerzeichen' }

export function germanEvidence(receipt: ShownReceipt): readonly string[] {
  return [encodingSentence(receipt), dialectSentence(receipt), headerSentence(receipt)]
}

function has({ notes }: ShownReceipt, code: string): boolean {
  return notes.some((note) => note.code === code)
}

function encodingSentence(receipt: ShownReceipt): string {
  const { name, bom } = receipt.encoding
  const reason = bom
    ? 'Die Datei beginnt mit seiner Kennung (Byte Order Mark)'
    : has(receipt, 'ENCODING_GUESSED')
      ? 'So sehen die Bytes am ehesten nach Wörtern aus'
      : has(receipt, 'DECLARED_ENCODING_CONFLICT')
        ? 'So ist es angegeben'
        : 'Die Bytes am Anfang der Datei passen dazu'
  return `Zeichensatz ${name}: ${reason}.`
}

function dialectSentence({ evidence }: ShownReceipt): string {
  const { code, delimiter, width, fitting, records, next } = evidence.figures.dialect
  const fields = width === 1 ? 'ein Feld' : `${count(width)} Felder`
  const table = `${count(fitting)} von ${count(records)} Datensätzen am Anfang der Datei haben ${fields}`
  if (code === 'one_column') return `Eine Spalte, denn mit keinem Trennzeichen entstehen mehrere: ${table}.`
  const source = { declared: ', wie angegeben', named: ', wie es die erste Zeile sagt', best: '' }[code]
  const other =
    next && `; das nächstbeste, ${nameOf(next.delimiter)}, ergibt eine zu ${count(next.percent)} % so gute Tabelle`
  return `Trennzeichen ${nameOf(delimiter)}${source}: ${table}${other ?? ''}.`
}

function nameOf(delimiter: string): string {
  return delimiterNames[delimiter] ?? `„${delimiter}“`
}

function headerSentence({ evidence }: ShownReceipt): string {
  const { code, typed, unlike, like, isUncertain, lines } = evidence.figures.header
  const isHeader = lines.length > 0
  const inColumns = (columns: number) => (columns === 1 ? 'einer Spalte' : `${count(columns)} Spalten`)
  const start = !isHeader
    ? 'Keine Kopfzeile'
    : lines.length === 1
      ? 'Kopfzeile'
      : `Kopfzeile aus ${count(lines.length)} Datensätzen`
  const reasons: Readonly<Record<typeof code, string>> = {
    declared: 'So ist es angegeben',
    columns: [
      ...(typed > 0 ? [`In ${inColumns(typed)} haben nur die Werte darunter einen Typ`] : []),
      ...(unlike > 0 || typed === 0
        ? [`in ${inColumns(unlike)} hat der erste Wert eine andere Form als die darunter`]
        : []),
      ...(like > 0 ? [`in ${inColumns(like)} gleicht er ihnen`] : []),
    ].join(', '),
    years: 'Die Zahlen des ersten Datensatzes können Jahre sein, die Spalten benennen, oder Werte wie die darunter',
    counting: `Die Zahlen des ersten Datensatzes zählen hoch, und in ${inColumns(like)} kommt die eigene wieder vor`,
    alone: isHeader
      ? 'Es ist der einzige Datensatz, und er sieht nach Namen aus'
      : 'Der einzige Datensatz sieht nicht nach Namen aus',
    delimited: 'Die Werte sind anders getrennt als die darunter',
    width: 'Die Werte sehen nach Namen aus, und es sind mehr oder weniger als in den Datensätzen',
    groups: 'Ein Datensatz mit Namen von Gruppen steht über einem mit Namen der Spalten',
    channels: 'Ein Name und Nummern von Kanälen stehen über einem Datensatz mit Einheiten',
    quoted: 'Nur dieser Datensatz steht in Anführungszeichen',
    empty: 'Es gibt keinen Datensatz',
  }
  const reason = reasons[code]
  return `${start}: ${reason.charAt(0).toUpperCase()}${reason.slice(1)}${isUncertain ? '; sicher ist das nicht' : ''}.`
}

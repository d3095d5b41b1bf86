// German evidence: how a file was read and why, said from what the receipt has found.
import type { ShownReceipt } from '../shown-receipt.ts'
import { figure } from './figures.ts'

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
  const fields = width === 1 ? 'ein Feld' : `${figure(width)} Felder`
  const table = `${figure(fitting)} von ${figure(records)} Datensätzen am Anfang der Datei haben ${fields}`
  if (code === 'one_column') return `Eine Spalte, denn mit keinem Trennzeichen entstehen mehrere: ${table}.`
  const source = { declared: ', wie angegeben', named: ', wie es die erste Zeile sagt', best: '' }[code]
  const other =
    next && `; das nächstbeste, ${nameOf(next.delimiter)}, ergibt eine zu ${figure(next.percent)} % so gute Tabelle`
  return `Trennzeichen ${nameOf(delimiter)}${source}: ${table}${other ?? ''}.`
}

function nameOf(delimiter: string): string {
  return delimiterNames[delimiter] ?? `„${delimiter}“`
}

function headerSentence({ evidence }: ShownReceipt): string {
  const { code, typed, unlike, like, isUncertain, lines } = evidence.figures.header
  const isHeader = lines.length > 0
  const count = (columns: number) => (columns === 1 ? 'einer Spalte' : `${figure(columns)} Spalten`)
  const start = !isHeader
    ? 'Keine Kopfzeile'
    : lines.length === 1
      ? 'Kopfzeile'
      : `Kopfzeile aus ${figure(lines.length)} Datensätzen`
  const reasons: Readonly<Record<typeof code, string>> = {
    declared: 'So ist es angegeben',
    columns: [
      ...(typed > 0 ? [`In ${count(typed)} haben nur die Werte darunter einen Typ`] : []),
      ...(unlike > 0 || typed === 0
        ? [`in ${count(unlike)} hat der erste Wert eine andere Form als die darunter`]
        : []),
      ...(like > 0 ? [`in ${count(like)} gleicht er ihnen`] : []),
    ].join(', '),
    years: 'Die Zahlen des ersten Datensatzes können Jahre sein, die Spalten benennen, oder Werte wie die darunter',
    counting: `Die Zahlen des ersten Datensatzes zählen hoch, und in ${count(like)} kommt die eigene wieder vor`,
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

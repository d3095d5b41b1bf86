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

function dialectSentence(receipt: ShownReceipt): string {
  const { dialect, columns, records } = receipt
  if (columns.length === 1) return 'Eine Spalte: Mit keinem Trennzeichen entstehen mehrere.'
  const all = records.accepted + records.rejected
  const name = delimiterNames[dialect.delimiter] ?? `„${dialect.delimiter}“`
  const declared = has(receipt, 'DECLARED_DIALECT_CONFLICT') ? ', wie angegeben' : ''
  const found = all === 0 ? 'Es ergibt' : `${figure(records.accepted)} von ${figure(all)} Datensätzen ergeben damit`
  return `Trennzeichen ${name}${declared}: ${found} ${figure(columns.length)} Spalten.`
}

function headerSentence(receipt: ShownReceipt): string {
  const { header } = receipt.dialect
  const count = receipt.records.header
  const start = header ? (count === 1 ? 'Kopfzeile' : `Kopfzeile aus ${figure(count)} Datensätzen`) : 'Keine Kopfzeile'
  if (has(receipt, 'HEADER_UNCERTAIN')) return `${start}: Sicher ist das nicht.`
  if (has(receipt, 'DECLARED_HEADER_CONFLICT')) return `${start}: So ist es angegeben.`
  return header
    ? `${start}: Die Werte sehen wie Namen aus und nicht wie die Werte darunter.`
    : `${start}: Der erste Datensatz sieht aus wie die anderen.`
}

// Reject texts: one row for each reason of a reject, and for what is wrong with a text sent to replace one.
import type { RefusedCorrection } from '../src/core/receipt.ts'
import { text } from './texts.ts'

/** Why a record of the file was rejected, or a text sent to replace it. */
export type ShownReason = Omit<RefusedCorrection, 'record'>

interface RejectTexts {
  readonly name: string
  /** The German message, made of the number of columns of the table. */
  readonly german: (columns: number) => string
}

export const rejectTexts: Readonly<Record<ShownReason['reason'], RejectTexts>> = {
  too_few_fields: {
    name: text('Fields are missing', 'Felder fehlen'),
    german: (columns) => `zu wenige Felder, ${expected(columns)}`,
  },
  too_many_fields: {
    name: text('Too many fields', 'Zu viele Felder'),
    german: (columns) => `zu viele Felder, ${expected(columns)}`,
  },
  text_after_quote: {
    name: text('Text after a closing quote', 'Text nach dem schließenden Anführungszeichen'),
    german: () => 'Text nach einem schließenden Anführungszeichen',
  },
  quote_in_field: {
    name: text('Quote inside a field', 'Anführungszeichen in einem Feld'),
    german: () => 'Anführungszeichen in einem Feld, das nicht in Anführungszeichen steht',
  },
  unclosed_quote: {
    name: text('A quote never closes', 'Ein Anführungszeichen bleibt offen'),
    german: () => 'ein Anführungszeichen wird nicht geschlossen',
  },
  invalid_bytes: {
    name: text('Bytes that are no text', 'Bytes, die kein Text sind'),
    german: () => 'Bytes, die im Zeichensatz der Datei keine Zeichen sind',
  },
  nul_byte: { name: text('NUL byte', 'NUL-Byte'), german: () => 'ein NUL-Byte' },
  record_too_long: {
    name: text('Record too long', 'Datensatz zu lang'),
    german: () => 'der Datensatz ist länger, als gelesen wird',
  },
  line_end_in_field: {
    name: text('Line end inside a field', 'Zeilenende in einem Feld'),
    german: () => 'ein Wagenrücklauf oder Zeilenvorschub in einem Feld',
  },
  constraint: {
    name: text('Values that do not fit', 'Werte, die nicht passen'),
    german: () => 'ein Wert passt nicht zu dem, was für die Spalte festgelegt ist',
  },
  several_records: {
    name: 'several_records',
    german: () => 'der Text enthält mehrere Datensätze, gesucht ist einer',
  },
  no_reject: { name: 'no_reject', german: () => 'der Datensatz wird nicht mehr abgelehnt' },
  no_record: { name: 'no_record', german: () => 'der Text enthält keinen Datensatz' },
}

/** A reason of a reject in words; an unknown code stays as it is. */
export function reasonName(reason: string): string {
  return rejectTexts[reason as ShownReason['reason']]?.name ?? reason
}

function expected(columns: number): string {
  return columns === 1 ? 'erwartet wird 1' : `erwartet werden ${columns}`
}

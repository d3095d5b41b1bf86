// German rejects: why a record was rejected, by its reason; its text shows the place.
import type { RefusedCorrection, RejectReason } from '../../../src/core/receipt.ts'

/** For records of the file, and for texts sent to replace them. */
type Reason = RejectReason | RefusedCorrection['reason']

export interface RejectPlace {
  /** From 1; null if it is about the whole record. */
  readonly column: number | null
  /** Names of the columns of the table. */
  readonly columns: readonly string[]
}

const sentences: Readonly<Record<Reason, (place: RejectPlace) => string>> = {
  too_few_fields: ({ columns }) => `zu wenige Felder, ${expected(columns)}`,
  too_many_fields: ({ columns }) => `zu viele Felder, ${expected(columns)}`,
  text_after_quote: () => 'Text nach einem schließenden Anführungszeichen',
  quote_in_field: () => 'Anführungszeichen in einem Feld, das nicht in Anführungszeichen steht',
  unclosed_quote: () => 'ein Anführungszeichen wird nicht geschlossen',
  invalid_bytes: () => 'Bytes, die im Zeichensatz der Datei keine Zeichen sind',
  nul_byte: () => 'ein NUL-Byte',
  record_too_long: () => 'der Datensatz ist länger, als gelesen wird',
  line_end_in_field: () => 'ein Wagenrücklauf oder Zeilenvorschub in einem Feld',
  constraint: () => 'ein Wert verstößt gegen das Schema',
  several_records: () => 'der Text enthält mehrere Datensätze, gesucht ist einer',
  no_record: () => 'der Text enthält keinen Datensatz',
}

/** Null for a reason that is not known. */
export function germanReject(reason: string, place: RejectPlace): string | null {
  if (!Object.hasOwn(sentences, reason)) return null
  const sentence = sentences[reason as Reason](place) // one of the table, as was just seen
  const name = place.column === null ? undefined : place.columns[place.column - 1]
  return name === undefined ? sentence : `Spalte ${name}: ${sentence}`
}

function expected({ length }: readonly string[]): string {
  return length === 1 ? 'erwartet wird 1' : `erwartet werden ${length}`
}

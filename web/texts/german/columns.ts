// German columns: explains a column's type from the type, its null words and the notes about it.
import type { NoteCode } from '../../../src/core/notes.ts'
import type { ShownReceipt } from '../shown-receipt.ts'
import { figure, lineList } from './figures.ts'

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

/** Null for a type that is not known. */
export function germanWhy(receipt: ShownReceipt, at: number): string | null {
  const column = receipt.columns[at]
  if (column === undefined) return null
  const { name, type, nulls, format, nullWords = [] } = column
  const field = fieldOf(receipt, at)
  if (field !== undefined) return `im Schema festgelegt als ${field.type ?? 'any'}`
  const values = receipt.records.accepted - nulls
  if (type === 'text') return `Text: ${values === 0 ? 'es gibt keinen Wert' : traitOf(receipt, name)}`
  const [one, many] = kindOf(type) ?? []
  if (one === undefined || many === undefined) return null
  const are = values === 1 ? `der einzige Wert ist ${one}` : `alle ${figure(values)} Werte sind ${many}`
  const written = format === undefined ? '' : `, geschrieben wie ${format}`
  const words = nullWords.map((word) => (word === '' ? 'leerer Text in Anführungszeichen' : word)).join(', ')
  return `${are}${written}${words === '' ? '' : `, abgesehen von Wörtern für null (${words})`}`
}

/** Fields stand for columns by order or by name. */
function fieldOf({ schema, columns }: ShownReceipt, at: number) {
  if (schema === undefined) return undefined
  const named = schema.fields.find(({ name }) => name === columns[at]?.name)
  return named ?? ((schema.fieldsMatch ?? 'exact') === 'exact' ? schema.fields[at] : undefined)
}

function traitOf({ notes }: ShownReceipt, column: string): string {
  for (const note of notes) {
    const trait = note.column === column ? traits[note.code as NoteCode] : undefined
    if (trait !== undefined) return `${trait}${lineList(note.lines)}`
  }
  return 'nicht alle Werte passen zu einem anderen Typ'
}

function kindOf(type: string): readonly [one: string, many: string] | undefined {
  const [, scale] = /^decimal\(\d+,(\d+)\)$/.exec(type) ?? []
  if (scale === undefined) return kinds[type]
  const places = `mit ${scale} Nachkommastelle${scale === '1' ? '' : 'n'}`
  return [`eine Zahl ${places}`, `Zahlen ${places}`]
}

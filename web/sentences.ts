// Sentences: what the service says about a file or a failure, in the language of the page, found by its code. The
// service speaks English: its own sentence is shown if the page has none.
import type { Note } from '../src/core/notes.ts'
import type { ShownReceipt } from './check/provisional.ts'
import { count } from './format.ts'
import { germanFailures, germanIntroductions, germanKind } from './german/failures.ts'
import { germanNotes } from './german/notes.ts'
import { germanEvidence, germanWhy } from './german/reading.ts'
import { rejectTexts, type ShownReason } from './reject-texts.ts'
import { language, t } from './texts.ts'

export interface Sentence {
  readonly text: string
  /** Language of the text; undefined for that of the page. */
  readonly lang: 'en' | undefined
}

export function noteSentence({ code, message, column, values }: Note): Sentence {
  const german = aboutColumn(column, germanNotes[code])
  return sentence(
    german && values ? `${german} Die ersten: ${values.map((one) => `„${one}“`).join(', ')}.` : german,
    message,
  )
}

/** The lines of a note, unless its sentence names them. */
export function noteLines(note: Note): string {
  const { lines = [] } = note
  const isNamed = lines.length === 0 || /\blines? \d/i.test(noteSentence(note).text)
  return isNamed ? '' : t.lines(lines.length, lines.map(count).join(', '))
}

/** Why a column has its type. */
export function whySentence(receipt: ShownReceipt, at: number): Sentence {
  return sentence(germanWhy(receipt, at), receipt.columns[at]?.why ?? '')
}

/** How a file was read. */
export function evidenceSentences(receipt: ShownReceipt): readonly Sentence[] {
  const { encoding, dialect, header } = receipt.evidence
  const german = germanEvidence(receipt)
  return [encoding, dialect, header].map((theirs, at) => sentence(german[at], theirs))
}

/** @param columns Names of the columns of the table. */
export function rejectSentence({ reason, message, column }: ShownReason, columns: readonly string[]): Sentence {
  const name = column === null ? undefined : columns[column - 1]
  return sentence(aboutColumn(name, rejectTexts[reason]?.german(columns.length)), inWords(message))
}

/** Without offsets, and with what a value is not instead of the rule; the value, in quotes, stays as it is. */
function inWords(english: string): string {
  const [, value, rule, of] = /^(.*?: "(?:[^"\\]|\\.)*") violates (\w+) (.*)$/s.exec(english) ?? []
  if (rule === undefined) return english.replace(/ (opened )?at offset \d+/, '')
  if (rule === 'type') return `${value} is no ${of}`
  return rule === 'pattern' ? `${value} does not match ${of}` : `${value} breaks the rule ${rule} ${of}`
}

interface ShownFailure {
  /** Fully qualified, as in the error record. */
  readonly exception: string
  readonly message: string
  /** What was seen, if its name is known: for errors found on this machine. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** One sentence, or the page's sentence and the service's own, which states where or why. */
export function failureSentences(failure: ShownFailure): readonly [Sentence, ...(readonly Sentence[])] {
  const { exception, message, details } = failure
  const name = exception.slice(exception.lastIndexOf('.') + 1)
  const introduction = germanIntroductions[name]
  if (introduction === undefined || language !== 'de')
    return [sentence(germanKind(String(details?.looksLike)) ?? germanFailures[name], message)]
  return [sentence(introduction, message), sentence(undefined, message)]
}

function aboutColumn(name: string | undefined, text: string | undefined): string | undefined {
  return name === undefined || text === undefined ? text : `Spalte ${name}: ${text}`
}

/** Counts with separators; values of a file, which are in quotes, stay as they are. */
function withSeparators(english: string): string {
  const found = /(['"]).*?\1|\b\d{4,15}(?= (?:of|values|records|fields|rows)\b)/g
  return english.replaceAll(found, (one) => (/^\d/.test(one) ? count(Number(one)) : one))
}

function sentence(german: string | undefined, english: string): Sentence {
  if (language !== 'de' || german === undefined) return { text: withSeparators(english), lang: 'en' }
  return { text: german, lang: undefined }
}

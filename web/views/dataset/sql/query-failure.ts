// Query failure: what is wrong with a statement, in words for people, where, and what to put there. Knows no element.

import { duration } from '../../../format.ts'
import type { TextPlace } from '../../../parts/text-of.ts'
import { filled, text } from '../../../texts.ts'
import { keywords, nameOf, tokens } from './sql-tokens.ts'

export interface QueryFailure {
  /** In the language of the page; null if the message is of an unknown kind. */
  readonly sentence: string | null
  /** The service's. */
  readonly message: string
  readonly place: TextPlace | null
  /** What would do, in place of a part of the statement. */
  readonly remedy: (TextPlace & { readonly text: string }) | null
}

interface Mention {
  readonly sql: string
  readonly place: TextPlace
  /** What the message names. */
  readonly name: string
  /** What the message proposes; empty for nothing. */
  readonly proposed: string
}

interface Kind {
  /** Its groups are `name` and `proposed`. */
  readonly pattern: RegExp
  readonly sentence: (name: string, proposed: string) => string
  /** Null if nothing would do. */
  readonly remedy?: (mention: Mention) => string | null
}

const kinds: readonly Kind[] = [
  {
    pattern: /Referenced column "(.*?)" (?:was )?not found[\s\S]*?(?:bindings: "(.*?)"|$)/,
    sentence: (name, proposed) => {
      const missing = text(`There is no column “${name}”.`, `Es gibt keine Spalte „${name}“.`)
      if (isClose(name, proposed)) return missing
      const hint = text('A text stands in single quotes', 'Ein Text steht in einfachen Anführungszeichen')
      return `${missing} ${hint}: '${name}'.`
    },
    remedy: ({ sql, place, name, proposed }) => {
      if (isClose(name, proposed)) return nameOf(proposed)
      const isCompared = /(?:[=<>]|\blike|\(|,)\s*$/i.test(sql.slice(0, place.from))
      return isCompared ? `'${name.replaceAll("'", "''")}'` : null
    },
  },
  {
    pattern: /Table with name (.*?) does not exist|Referenced table "(?:.*?)" not found/,
    sentence: filled('There is only one table, data.', 'Es gibt nur eine Tabelle, data.'),
    remedy: () => 'data',
  },
  {
    pattern: /Function with name (\S+) does not exist[\s\S]*?(?:mean "(.*?)"|$)/,
    sentence: filled('There is no function “{}”.', 'Es gibt keine Funktion „{}“.'),
    remedy: ({ name, proposed }) => (isClose(name, proposed) ? proposed : null),
  },
  {
    pattern: /syntax error at or near "([\s\S]*?)"(?:\n|$)/,
    sentence: filled(
      '“{}” cannot stand here. Look at what is in front of it, too.',
      '„{}“ kann hier nicht stehen. Der Fehler kann auch davor liegen.',
    ),
  },
  {
    pattern: /syntax error at end of input/,
    sentence: filled('The statement ends too early.', 'Die Anweisung ist nicht zu Ende.'),
  },
  {
    pattern: /unterminated quoted (?:string|identifier)/,
    sentence: filled('This quote is never closed.', 'Dieses Anführungszeichen wird nicht geschlossen.'),
  },
  {
    pattern: /column "(.*?)" must appear in the GROUP BY/,
    sentence: filled(
      '“{}” has many values in each group. Name it in GROUP BY, or choose one with min, max or any_value.',
      '„{}“ hat viele Werte in jeder Gruppe. In GROUP BY nennen oder einen mit min, max oder any_value wählen.',
    ),
    remedy: ({ name }) => `any_value(${nameOf(name)})`,
  },
  {
    pattern: /Could not convert string '([\s\S]*?)' to/,
    sentence: filled(
      'The text “{}” cannot become a value of this type. TRY_CAST gives null for it.',
      'Aus dem Text „{}“ wird kein Wert dieses Typs. TRY_CAST macht null daraus.',
    ),
    remedy: ({ sql, place }) => (/^cast$/i.test(sql.slice(place.from, place.to)) ? 'TRY_CAST' : null),
  },
  {
    pattern: /invalid (?:date|timestamp) field format: "(.*?)"/,
    sentence: filled(
      "“{}” is no date. A date is written '2026-11-28'.",
      "„{}“ ist kein Datum. Ein Datum schreibt man '2026-11-28'.",
    ),
  },
  {
    pattern: /No function matches the given name and argument types '(\w+)\((.*?)\)'/,
    sentence: filled(
      '{} does not take values of this type. TRY_CAST(… AS DOUBLE) makes numbers of texts.',
      '{} nimmt keine Werte dieses Typs. TRY_CAST(… AS DOUBLE) macht aus Texten Zahlen.',
    ),
  },
  {
    pattern: /WHERE clause cannot contain aggregates/,
    sentence: filled(
      'WHERE looks at one row at a time. A condition on a sum or count goes into HAVING, behind GROUP BY.',
      'WHERE betrachtet einzelne Zeilen. Bedingungen an Summen und Anzahlen stehen in HAVING hinter GROUP BY.',
    ),
  },
  {
    pattern: /Ambiguous reference to column name "(.*?)" \(use: "(.*?)"/,
    sentence: filled('“{}” is in several tables. Say in which.', '„{}“ gibt es mehrfach. Bitte die Tabelle nennen.'),
    remedy: ({ proposed }) => proposed,
  },
  {
    pattern: /statement of another kind/,
    sentence: filled(
      'A query only reads. It begins with SELECT or FROM.',
      'Eine Abfrage liest nur. Sie beginnt mit SELECT oder FROM.',
    ),
  },
  {
    pattern: /it contains (\d+) statements/,
    sentence: filled(
      'These are {} statements. Run one at a time.',
      'Das sind {} Anweisungen. Bitte einzeln ausführen.',
    ),
  },
  {
    pattern: /longer than the limit of (\d+) ms/,
    sentence: (ms) =>
      text(
        `The query was not done after ${duration(Number(ms))}. A filter or fewer columns help.`,
        `Die Abfrage war nach ${duration(Number(ms))} nicht fertig. Ein Filter oder weniger Spalten helfen.`,
      ),
  },
]

/** @param message The service's, as sent. */
export function queryFailure(sql: string, message: string): QueryFailure {
  const place = errorPlace(sql, message)
  for (const { pattern, sentence, remedy } of kinds) {
    const [found, name = '', proposed = ''] = pattern.exec(message) ?? []
    if (found === undefined) continue
    const put = place && remedy?.({ sql, place, name, proposed })
    const misspelled = found.startsWith('syntax error at or near') && place ? keywordBefore(sql, place) : null
    return {
      sentence: sentence(name, proposed),
      message,
      place,
      remedy: place && put ? { ...place, text: put } : misspelled,
    }
  }
  return { sentence: null, message, place, remedy: null }
}

/** A misspelled keyword is a name to the engine, which then stumbles over the next word. */
function keywordBefore(sql: string, place: TextPlace): QueryFailure['remedy'] {
  const word = tokens(sql.slice(0, place.from)).at(-1)
  if (word?.kind !== 'word') return null
  const keyword = keywords.find((one) => isClose(sql.slice(word.from, word.to).toUpperCase(), one))
  return keyword === undefined ? null : { from: word.from, to: word.to, text: keyword }
}

/** True if words of three letters and more differ in at most two of them, which stand together. */
function isClose(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()]
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  return start + end > 1 && Math.max(a.length, b.length) - start - end <= 2
}

/** Null if the message marks no place, or one that is not in the statement. */
function errorPlace(sql: string, message: string): TextPlace | null {
  const [, number, excerpt = '', pad = ''] = /LINE (\d+): ([^\n]*)\n( *)\^/.exec(message) ?? []
  if (number === undefined) return null
  const line = sql.split('\n')[Number(number) - 1]
  if (line === undefined) return null
  // The engine shows a part of a long line, with dots where it was cut.
  const shown = excerpt.replace(/^\.\.\./, '').replace(/\.\.\.$/, '')
  const shownAt = line.indexOf(shown)
  const column = pad.length - `LINE ${number}: `.length - (excerpt.startsWith('...') ? 3 : 0) + shownAt
  if (shownAt < 0 || column < 0 || column > line.length) return null
  const from = sql.split('\n', Number(number) - 1).reduce((sum, one) => sum + one.length + 1, 0) + column
  const word = /^(?:"[^"]*"|'[^']*'|[\p{L}\p{N}_.]+|.)/u.exec(sql.slice(from))?.[0] ?? ''
  return { from, to: from + Math.max(1, word.length) }
}

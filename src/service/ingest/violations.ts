// Violations: which records break declared rules, kept on disk until the file is scanned for where they are. Knows no scanner.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import {
  type DeclaredCheck,
  type DeclaredValues,
  type RepeatedKey,
  ruleCode,
  type ViolationLine,
  violationTextMax,
} from '../../core/declared-values.ts'
import { textLines } from '../../io/text-lines.ts'
import type { DeclaredColumn } from '../schema/declared-column.ts'
import type { Exclusions } from './exclusions.ts'
import type { RepeatedKeys } from './repeated-keys.ts'

/** The violations of a file, segment by segment, each in a file of its own. */
export class Violations {
  readonly #dir: string
  readonly #columns: readonly (DeclaredColumn | null)[]
  readonly #repeatedKeys: RepeatedKeys
  /** Of each segment. */
  readonly #counts: { readonly records: number; readonly violations: number }[] = []
  /** What each rule of each column says, by both. */
  readonly #texts = new Map<string, string>()

  constructor(dir: string, columns: readonly (DeclaredColumn | null)[], repeatedKeys: RepeatedKeys) {
    this.#dir = dir
    this.#columns = columns
    this.#repeatedKeys = repeatedKeys
  }

  /** Records with at least one. */
  get count(): number {
    return this.#counts.reduce((sum, { violations }) => sum + violations, 0)
  }

  /** The path for the violations of a segment, see `ConvertOptions`. */
  path(index: number): string {
    return join(this.#dir, `violations-${String(index).padStart(5, '0')}.ndjson.gz`)
  }

  /** Adds a segment, or replaces it if it was read before. It has a file if there are violations. */
  add(index: number, records: number, violations: number): void {
    this.#counts[index] = { records, violations }
  }

  /** All of them, in file order. */
  async *exclusions(signal: AbortSignal): Exclusions {
    let before = 0
    for (const [index, { records, violations }] of this.#counts.entries()) {
      if (violations > 0) {
        for await (const lines of jsonLines(this.path(index))) {
          signal.throwIfAborted()
          yield lines.map((line) => {
            // Only column threads write this file.
            const violation = JSON.parse(line) as ViolationLine
            const [record, column, , , byteOffset, byteLength, lineEndBytes] = violation
            const found = { ordinal: before + record, column: column + 1, message: this.#message(violation) }
            return byteOffset === null ? found : { ...found, place: { byteOffset, byteLength, lineEndBytes } }
          })
        }
      }
      before += records
    }
  }

  /** The rule with its value, and the value that breaks it, all shortened if long. */
  #message([, index, rule, value, , , , repeated]: ViolationLine): string {
    const column = this.#columns[index] ?? null
    if (column === null) return 'breaks a declared rule'
    if (repeated !== null) return this.#keyMessage(value, repeated)
    const key = `${index} ${rule}`
    const text = this.#texts.get(key) ?? cut(ruleText(rule, column.fieldType, column.values), ruleCharactersMax)
    this.#texts.set(key, text)
    const place = cut(column.name, nameCharactersMax)
    if (rule === ruleCode.required) return `${place}: no value, required by the schema`
    return `${place}: ${JSON.stringify(cut(value, violationTextMax - 1))} violates ${text}`
  }

  /** The other line is unknown only if one of the two records is a corrected one. */
  #keyMessage(value: string, { key, first, isSame }: RepeatedKey): string {
    const { rule = '', columns = [] } = this.#repeatedKeys.keys[key] ?? {}
    const place = cut(columns.map((column) => this.#columns[column]?.name).join(', '), nameCharactersMax)
    const line = this.#repeatedKeys.lineOf(first)
    const other = line > 0 ? `line ${line}` : 'an earlier record'
    const how = isSame ? 'and is equal in every field' : 'and is not equal in every field'
    return `${place}: ${cut(value, violationTextMax - 1)} violates ${rule}: ${other} has the same, ${how}`
  }
}

function jsonLines(path: string): AsyncGenerator<readonly string[]> {
  // A problem with the file shows when the text is read.
  const text = pipeline(createReadStream(path), createGunzip(), () => {}).setEncoding('utf8')
  // The encoding has been set.
  return textLines(text as AsyncIterable<string>)
}

const nameCharactersMax = 100
const ruleCharactersMax = 200

function ruleText(rule: number, fieldType: string, { form, checks }: DeclaredValues): string {
  const format = form.kind === 'strptime' ? ` ${form.format}` : ''
  const why =
    form.kind === 'strptime' ? 'it is no date that the column can hold' : 'it is beyond what the column can hold'
  if (rule === ruleCode.range) return `type ${fieldType}${format}: ${why}`
  const check = checks[rule - ruleCode.firstCheck]
  return check === undefined ? `type ${fieldType}${format}` : checkText(check)
}

function checkText(check: DeclaredCheck): string {
  switch (check.rule) {
    case 'minLength':
    case 'maxLength':
      return `${check.rule} ${check.length}`
    case 'pattern':
      return `pattern ${check.pattern}`
    case 'enum':
    case 'categories':
      // More do not show.
      return `${check.rule} ${check.values.slice(0, ruleCharactersMax).join(', ')}`
    default:
      return `${check.rule} ${check.value}`
  }
}

function cut(text: string, charactersMax: number): string {
  const characters = Array.from(text.slice(0, 2 * charactersMax + 2))
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax).join('')}…` : text
}

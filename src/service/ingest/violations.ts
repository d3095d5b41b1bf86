// Violations: which records break declared rules, kept on disk between two passes over a file. Knows no SQL and no scanner.
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import {
  type DeclaredCheck,
  type DeclaredValues,
  ruleCode,
  type Violation,
  violationTextMax,
} from '../../core/declared-values.ts'
import { textLines } from '../../io/text-lines.ts'
import type { DeclaredColumn } from '../schema/declared-column.ts'

/** A record that is rejected although it can be read. */
export interface Exclusion {
  /** Among all readable records of the file, from 1. */
  readonly ordinal: number
  /** From 1. */
  readonly column: number | null
  readonly message: string
}

/** The violations of a file, segment by segment, each in a file of its own. */
export class Violations {
  /** Records with at least one. */
  count = 0
  readonly #dir: string
  /** Records of each segment. */
  readonly #records: number[] = []

  constructor(dir: string) {
    this.#dir = dir
  }

  /** The path for the violations of a segment, as lines of JSON compressed with Zstandard. */
  path(index: number): string {
    return join(this.#dir, `violations-${String(index).padStart(5, '0')}.ndjson.zst`)
  }

  /** Adds a segment whose file is written. */
  add(index: number, segmentRecords: number, violations: number): void {
    this.#records[index] = segmentRecords
    this.count += violations
  }

  /** All of them, in file order; each file is deleted once it is read, unless they are needed again. */
  async *exclusions(columns: readonly (DeclaredColumn | null)[], isLast: boolean): AsyncGenerator<Exclusion> {
    let before = 0
    for (const [index, records] of this.#records.entries()) {
      for await (const line of jsonLines(this.path(index))) {
        // Only the converter writes this file.
        const violation = JSON.parse(line) as Violation
        yield exclusionOf(violation, before, columns[violation.column] ?? null)
      }
      if (isLast) await unlink(this.path(index))
      before += records
    }
  }
}

function jsonLines(path: string): AsyncGenerator<string> {
  // A problem with the file shows when the text is read.
  const text = pipeline(createReadStream(path), createZstdDecompress(), () => {}).setEncoding('utf8')
  // The encoding has been set.
  return textLines(text as AsyncIterable<string>)
}

function exclusionOf(violation: Violation, recordsBefore: number, column: DeclaredColumn | null): Exclusion {
  const ordinal = recordsBefore + violation.record
  const message = column === null ? 'breaks a declared rule' : messageOf(violation, column)
  return { ordinal, column: violation.column + 1, message }
}

/** The rule with its value, and the value that breaks it, all shortened if long. */
function messageOf({ rule, value }: Violation, { name, fieldType, values }: DeclaredColumn): string {
  const place = cut(name, nameCharactersMax)
  if (rule === ruleCode.required) return `${place}: no value, required by the schema`
  return `${place}: ${JSON.stringify(cut(value, violationTextMax - 1))} violates ${cut(ruleText(rule, fieldType, values), ruleCharactersMax)}`
}

const nameCharactersMax = 100
const ruleCharactersMax = 200

function ruleText(rule: number, fieldType: string, { form, checks }: DeclaredValues): string {
  const format = form.kind === 'strptime' ? ` ${form.format}` : ''
  if (rule === ruleCode.range) return `type ${fieldType}${format}: it is beyond what the column can hold`
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
      return `${check.rule} ${check.values.join(', ')}`
    default:
      return `${check.rule} ${check.value}`
  }
}

function cut(text: string, charactersMax: number): string {
  const characters = Array.from(text.slice(0, 2 * charactersMax + 2))
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax).join('')}…` : text
}

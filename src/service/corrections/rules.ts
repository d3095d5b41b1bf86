// Rules: reads correction rules, and applies them to rejects in file order. Keeps one byte for each mended record.

import {
  firstLeftMax,
  firstMendedMax,
  type MendedRecord,
  mends,
  type RuleOutcome,
} from '../../core/correction-rules.ts'
import type { Correction, Dialect, Receipt } from '../../core/receipt.ts'
import { rejectReasons } from '../../core/reject-reasons.ts'
import { below, entryAt, Peekable } from '../../io/peekable.ts'
import { mended, type Rule } from '../ingest/mend.ts'
import type { ReadRecord } from '../ingest/record-of-text.ts'
import { badCorrections, type SentRow } from './sent-rows.ts'

type Reject = Omit<Correction, 'text'>

const members = ['reason', 'column', 'mend', 'text', 'with', 'whole']

/**
 * Reads a line of JSON that has a mend.
 *
 * @param place Where it is: `line 3`.
 * @throws {ServiceError} BAD_CORRECTIONS
 */
export function readRule(row: Readonly<Record<string, unknown>>, place: string, columns: readonly string[]): Rule {
  const wrong = (problem: string) => badCorrections(`the rule on ${place} ${problem}`)
  const shown = (value: unknown) => `${JSON.stringify(value)}`.slice(0, 100)
  const unknown = Object.keys(row).find((name) => !members.includes(name))
  if (unknown !== undefined) throw wrong(`has an unknown member '${unknown.slice(0, 100)}', expected ${members}`)
  const reason = rejectReasons.find((one) => one === row.reason)
  if (reason === undefined) throw wrong(`has the reason ${shown(row.reason)}, expected one of ${rejectReasons}`)
  const mend = mends.find((one) => one === row.mend)
  if (mend === undefined) throw wrong(`has the mend ${shown(row.mend)}, expected one of ${mends}`)
  const column = row.column === undefined ? null : columns.indexOf(String(row.column)) + 1
  if (column === 0) throw wrong(`has the column ${shown(row.column)}, which the dataset does not have`)
  const { text, with: by, whole } = row
  if (text !== undefined && typeof text !== 'string') throw wrong('has a text that is not a string')
  if (by !== undefined && typeof by !== 'string') throw wrong("has a 'with' that is not a string")
  if (whole !== undefined && typeof whole !== 'boolean') throw wrong("has a 'whole' that is neither true nor false")
  if (mend === 'replace') {
    if (text === undefined || by === undefined) throw wrong("has no text or no 'with', which replace needs")
    if (text === '' && whole !== true) throw wrong('has an empty text, which only a whole value can be')
  } else if (text !== undefined || whole !== undefined || (by !== undefined && mend !== 'join')) {
    throw wrong(`has a member that ${mend} does not use`)
  }
  return {
    reason,
    column,
    mend,
    ...(text !== undefined && { text }),
    ...(by !== undefined && { with: by }),
    ...(whole !== undefined && { whole }),
  }
}

/** A row, and which rule made it, from 0. */
export interface MendedRow extends SentRow {
  readonly rule?: number
}

export interface MendingTools {
  readonly receipt: Receipt
  /** The whole text of a reject, and whether all its bytes are text; null if it is too long. */
  readonly textOf: (reject: Reject) => Promise<{ readonly text: string; readonly isText: boolean } | null>
  readonly readRecord: ReadRecord
}

interface Tally extends RuleOutcome {
  records: number
  mended: number
  earlier: number
  first: MendedRecord[]
  left: number[]
}

/** Mends the rejects of a dataset. A record is mended by the first rule after which it can be read. */
export class Mending {
  readonly #rules: readonly { readonly rule: Rule; readonly index: number; readonly outcome: Tally }[]
  readonly #tools: MendingTools
  readonly #dialect: Dialect
  readonly #width: number

  constructor(rules: readonly Rule[], tools: MendingTools) {
    this.#rules = rules.map((rule, index) => {
      return { rule, index, outcome: { records: 0, mended: 0, earlier: 0, first: [], left: [] } }
    })
    this.#tools = tools
    this.#dialect = tools.receipt.dialect
    this.#width = tools.receipt.columns.length
  }

  /** One for each rule. */
  get outcomes(): readonly RuleOutcome[] {
    return this.#rules.map(({ outcome }) => outcome)
  }

  /**
   * The rows that were sent and those that the rules make, in file order.
   *
   * @param corrected The corrections that the dataset has.
   */
  async *rows(
    rejects: AsyncIterable<Reject>,
    sent: AsyncIterable<SentRow>,
    corrected: AsyncIterable<Correction>,
  ): AsyncGenerator<MendedRow> {
    await using open = new Peekable(rejects)
    await using rows = new Peekable(sent)
    await using before = new Peekable(corrected)
    let last: Correction | null = null
    for (let reject = await open.take(); reject !== null; reject = await open.take()) {
      const { record } = reject
      for await (const one of below(before, record)) last = one
      yield* below(rows, record)
      const row = await entryAt(rows, record)
      const mended: MendedRow | null = await this.#mend(reject, row?.text ?? null, last, async () => {
        const [next, ofNext] = [await open.peek(), await rows.peek()]
        return next?.record === record + 1 && ofNext?.record !== next.record ? next : null
      })
      const made = row?.text == null ? (mended ?? row) : row
      if (made === null) continue
      if (made.text !== null) last = { ...reject, text: made.text }
      yield made
    }
    yield* below(rows, Number.POSITIVE_INFINITY)
  }

  /** Corrections that are not among `kept` have been refused after all. Both are in file order. */
  async takeBack(made: AsyncIterable<Correction>, kept: AsyncIterable<Correction>, madeBy: RuleList): Promise<void> {
    await using left = new Peekable(kept)
    let index = 0
    for await (const { record } of made) {
      const made = this.#rules[madeBy.at(index++)]
      if ((await entryAt(left, record)) !== null || made === undefined) continue
      made.outcome.mended--
      made.outcome.first = made.outcome.first.filter((one) => one.record !== record)
    }
  }

  /** @param sent The text that was sent for this record. */
  async #mend(
    reject: Reject,
    sent: string | null,
    last: Correction | null,
    nextOf: () => Promise<Reject | null>,
  ): Promise<MendedRow | null> {
    const { record, reason, column } = reject
    const rules = this.#rules.filter(({ rule }) => {
      return reason === rule.reason && (rule.column === null || rule.column === column)
    })
    if (rules.length === 0) return null
    const original = sent === null ? await this.#tools.textOf(reject) : null
    const isJoined = last?.record === record - 1 && original !== null && (await this.#isJoined(last, original.text))
    let [isTaken, made]: [boolean, MendedRow | null] = [sent !== null || isJoined, null]
    for (const { rule, index, outcome } of rules) {
      outcome.records++
      if (isTaken) outcome.earlier++
      isTaken ||= rule.mend === 'leave'
      if (isTaken || original === null) continue
      const next = rule.mend === 'join' ? await nextOf() : null
      const nullWord = this.#nullWord((rule.column ?? column ?? 0) - 1)
      const nextText = next === null ? null : await this.#tools.textOf(next)
      const text = mended(
        rule,
        { reason, column, text: original.text, next: nextText?.isText ? nextText.text : null, nullWord },
        this.#dialect,
        this.#width,
      )
      if (text === null || this.#tools.readRecord(text).kind === 'refused') continue
      // Bytes that are no text must not become replacement characters unnoticed.
      if (!original.isText && text.includes('\ufffd')) continue
      outcome.mended++
      if (outcome.first.length < firstMendedMax)
        outcome.first.push({
          record,
          line: reject.line,
          text: shownText(original.text),
          correctedText: shownText(text),
        })
      isTaken = true
      made = { record, text, isCut: false, rule: index }
    }
    if (isTaken) return made
    for (const { outcome } of rules) if (outcome.left.length < firstLeftMax) outcome.left.push(record)
    return made
  }

  /** Whether a correction ends with the record after it, which would then be there twice. */
  async #isJoined(last: Correction, next: string): Promise<boolean> {
    const before = await this.#tools.textOf(last)
    const isLonger = before !== null && last.text.length >= before.text.length + next.length
    return isLonger && last.text.startsWith(before.text) && last.text.endsWith(next)
  }

  #nullWord(index: number): string | null {
    const { columns, schema } = this.#tools.receipt
    const field = schema?.fields.find(({ name }) => name === columns[index]?.name)
    const words = field?.missingValues ?? schema?.missingValues ?? ['']
    return words.includes('') ? '' : (words[0] ?? null)
  }
}

/** The rule that made each of many corrections, in their order: one byte each. */
export class RuleList {
  #rules = new Uint8Array(1024)
  length = 0

  /** @param rule From 0 to `rulesMax`; null for none. */
  push(rule: number | null): void {
    if (this.length === this.#rules.length) {
      const longer = new Uint8Array(2 * this.length)
      longer.set(this.#rules)
      this.#rules = longer
    }
    this.#rules[this.length++] = rule ?? noRule
  }

  /** `noRule` for none. */
  at(index: number): number {
    return this.#rules[index] ?? noRule
  }
}

const noRule = 255

/** Characters of a text that are shown. */
const shownMax = 800

function shownText(text: string): string {
  return text.slice(0, shownMax).replace(/[\ud800-\udbff]$/, '')
}

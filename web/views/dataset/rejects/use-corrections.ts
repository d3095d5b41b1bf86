// Use corrections: the user's corrections of rejects, texts and rules, each tried before it is sent. Knows no element.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CorrectionRule } from '../../../../src/core/correction-rules.ts'
import { firstRejectsMax, type RefusedCorrection, type RejectPreview } from '../../../../src/core/receipt.ts'
import type { CorrectionOutcome } from '../../../../src/core/responses.ts'
import {
  type CorrectedReceipt,
  previewCorrections,
  type Receipt,
  sendCorrections,
  sendRejectsFile,
} from '../../../api.ts'
import { rest, settled, useAction, useLoaded } from '../../../use-loaded.ts'
import { type Draft, type Drafts, linesOf, type Mends, noMends, storedMends, storeMends, withDraft } from './drafts.ts'

/** What became of corrections that were just sent, by the resulting dataset, whose view shows it. */
export const outcomesSent = new Map<string, CorrectionOutcome>()

export type CorrectionWork = ReturnType<typeof useCorrections>

/** What the user means to mend, and which of it, meant for another reading of the file, does not fit this one. */
function useMends(receipt: Receipt) {
  const [{ mends, unfit }, setMends] = useState(() => ({ ...storedMends(receipt), unfit: [] as readonly Unfit[] }))
  // An answer may come after the user has typed more.
  const newest = useRef(mends)
  const save = (next: Mends, named: readonly Unfit[] = unfit) => {
    newest.current = next
    setMends({ mends: next, isElsewhere: false, unfit: named })
    storeMends(receipt, next)
  }
  useLoaded(async (signal) => {
    const stored = storedMends(receipt)
    if (!stored.isElsewhere) return
    const { fitting, unfit: named } = await fittingMends(receipt, stored.mends, signal)
    if (signal.aborted) return
    const isKept = (record: number) => fitting.drafts.has(record) || !stored.mends.drafts.has(record)
    const drafts = new Map([...newest.current.drafts].filter(([record]) => isKept(record)))
    save({ rules: fitting.rules, drafts }, named)
  }, [])
  return { mends, newest, unfit, save }
}

export function useCorrections(receipt: Receipt, onCorrected: (corrected: CorrectedReceipt) => void) {
  const { id } = receipt
  const { mends, newest, unfit, save } = useMends(receipt)
  const { drafts, rules } = mends
  const { refusalOf, askAll, failure } = useVerdicts(id, drafts)
  const { isLoading: isSending, error, run } = useAction<void>()
  const inTransit = useRef<Drafts>(new Map())

  const isReadable = (record: number) => !drafts.get(record)?.isUnchanged && refusalOf(record) === null
  const readable = (): Mends => ({ rules, drafts: new Map([...drafts].filter(([record]) => isReadable(record))) })
  const finish = (answer: CorrectedReceipt, sent: Drafts) => {
    const refused = new Set(answer.corrected.firstRefused.map(({ record }) => record))
    // Refused texts stay, and those of other records that were typed since.
    const texts = [...newest.current.drafts].filter(([record]) => refused.has(record) || !sent.has(record))
    const left = { drafts: new Map(texts), rules: [] }
    storeMends(answer, left)
    outcomesSent.set(answer.id, answer.corrected)
    if (answer.id === id) save(left)
    onCorrected(answer)
  }
  const sendReadable = async () => {
    inTransit.current = drafts
    // A user who sends right after the last key means the text as typed last.
    await askAll()
    const sent = readable()
    const lines = linesOf(sent)
    if (lines.length > 0) finish(await sendCorrections(id, lines), sent.drafts)
  }
  const sent = readable()
  const applied = useLoaded(
    async (signal) => {
      const { rules: outcomes = [] } = rules.length === 0 ? {} : await previewCorrections(id, linesOf(sent), signal)
      return { rules, outcomes }
    },
    [JSON.stringify([rules, [...sent.drafts.keys()]])],
  )
  return {
    drafts,
    rules,
    /** Mends for another reading of the file that do not fit this one. */
    unfit,
    /** What can be sent now, as the service takes it. */
    lines: linesOf(sent),
    readableCount: sent.drafts.size,
    /** What the rules do, in their order; null while that is not known. */
    outcomes: settled(applied)?.outcomes ?? null,
    /** The rules that were tried last, and what they do. */
    tried: applied.value,
    isSending,
    /** Whether a text is being stored: a change of it would come too late. */
    isInTransit: (record: number) => isSending && inTransit.current.has(record),
    error: error ?? failure ?? applied.error,
    /** Why the text of a draft would be refused; null if it would not, undefined while that is not known. */
    refusalOf,
    /** Null discards the draft. */
    write: (reject: RejectPreview, text: string | null) =>
      save({ rules, drafts: withDraft(drafts, reject, text, receipt.encoding.name) }),
    apply: (rule: CorrectionRule) => save({ drafts, rules: [...rules, rule] }),
    /** Without a rule, takes back the last one. */
    takeBack: (rule = rules.at(-1)) => save({ drafts, rules: rules.filter((one) => one !== rule) }),
    takeAllBack: () => save(noMends, []),
    send: () => run(sendReadable),
    sendFile: (file: File) => run(async () => finish(await sendRejectsFile(id, file), new Map())),
  }
}

/** A text by its line, or a rule. */
export type Unfit = { readonly line: number; readonly text: string } | { readonly rule: CorrectionRule }

/** Which mends for another reading of a file fit this one: those that still have a reject. */
async function fittingMends({ id, columns }: Receipt, { drafts, rules }: Mends, signal: AbortSignal) {
  const unfit: Unfit[] = []
  const known = rules.filter(({ column }) => column === undefined || columns.some(({ name }) => name === column))
  for (const rule of rules) if (!known.includes(rule)) unfit.push({ rule })
  let fitting: Mends = { drafts, rules: known }
  // A preview names some refusals at a time.
  for (let isComplete = false; !isComplete && fitting.drafts.size + fitting.rules.length > 0; ) {
    const { firstRefused, rules: counted = [] } = await previewCorrections(id, linesOf(fitting), signal)
    const gone = new Set(firstRefused.flatMap(({ record, reason }) => (reason === 'no_reject' ? [record] : [])))
    for (const [, { line, text }] of [...fitting.drafts].filter(([record]) => gone.has(record))) {
      unfit.push({ line, text })
    }
    const kept = fitting.rules.filter((rule, at) => counted[at]?.records !== 0 || !unfit.push({ rule }))
    fitting = { drafts: new Map([...fitting.drafts].filter(([record]) => !gone.has(record))), rules: kept }
    isComplete = gone.size === 0
  }
  return { fitting, unfit }
}

interface Verdict {
  readonly text: string
  readonly refusal: Omit<RefusedCorrection, 'record'> | null
}

const retryMs = 3_000

/** What the service would say about each draft. */
function useVerdicts(id: string, drafts: Drafts) {
  const verdicts = useRef(new Map<number, Verdict>()).current
  // As many as an answer names.
  const unknown = () =>
    [...drafts]
      .filter(([record, { text, isUnchanged }]) => !isUnchanged && verdicts.get(record)?.text !== text)
      .slice(0, firstRejectsMax)
  const ask = async (some: readonly (readonly [number, Draft])[], signal: AbortSignal) => {
    const { firstRefused } = await previewCorrections(id, linesOf({ drafts: new Map(some), rules: [] }), signal)
    for (const [record, { text }] of some)
      verdicts.set(record, { text, refusal: firstRefused.find((one) => one.record === record) ?? null })
  }
  const next = unknown()
  const [attempt, setAttempt] = useState(0)
  const { error: failure } = useLoaded(
    async (signal) => {
      if (next.length === 0) return
      await rest(signal)
      await ask(next, signal)
    },
    [JSON.stringify(next), attempt],
  )
  useLayoutEffect(() => {
    if (failure === null) return
    const timer = setTimeout(() => setAttempt(attempt + 1), retryMs)
    return () => clearTimeout(timer)
  }, [failure])
  return {
    /** Why the last preview failed; another one follows by itself. */
    failure,
    refusalOf: (record: number) => {
      const verdict = verdicts.get(record)
      return verdict?.text === drafts.get(record)?.text ? verdict?.refusal : undefined
    },
    askAll: async () => {
      const { signal } = new AbortController()
      for (let some = unknown(); some.length > 0; some = unknown()) await ask(some, signal)
    },
  }
}

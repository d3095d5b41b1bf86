// Use corrections: the user's corrections of rejects, texts and rules, each tried before it is sent. Knows no element.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CorrectionRule } from '../../../../src/core/correction-rules.ts'
import type { RejectPreview } from '../../../../src/core/receipt.ts'
import type { CorrectionOutcome } from '../../../../src/core/responses.ts'
import {
  type CorrectedReceipt,
  previewCorrections,
  type Receipt,
  sendCorrections,
  sendRejectsFile,
} from '../../../api.ts'
import type { TextReading } from '../../../check/texts/read-texts.ts'
import { textReader } from '../../../check/texts/text-reader.ts'
import { settled, useAction, useLoaded } from '../../../use-loaded.ts'
import { type Cause, isOf } from './causes.ts'
import {
  type Draft,
  type Drafts,
  linesOf,
  type Mends,
  noMends,
  originalText,
  storedMends,
  storeMends,
} from './drafts.ts'

/** What became of corrections that were just sent, by the resulting dataset, whose view shows it. */
const outcomes = new Map<string, CorrectionOutcome>()

export function outcomeOf(id: string): CorrectionOutcome | undefined {
  return outcomes.get(id)
}

/** Undefined while a text is being read, null if none can be read here. */
export type KnownReading = TextReading | null | undefined

export type CorrectionWork = ReturnType<typeof useCorrections>

/** What the user means to mend, and which of it, meant for another reading of the file, does not fit this one. */
function useMends(receipt: Receipt) {
  const [{ mends, unfit }, setMends] = useState(() => ({ ...storedMends(receipt), unfit: [] as readonly Unfit[] }))
  const keep = (next: Mends, named: readonly Unfit[] = unfit) => {
    setMends({ mends: next, isElsewhere: false, unfit: named })
    storeMends(receipt, next)
  }
  useLayoutEffect(() => {
    const stored = storedMends(receipt)
    if (!stored.isElsewhere) return
    const checking = new AbortController()
    const { signal } = checking
    fittingMends(receipt, stored.mends, signal).then(
      ({ fitting, unfit: named }) => signal.aborted || keep(fitting, named),
      () => {},
    )
    return () => checking.abort()
  }, [])
  return { mends, unfit, keep }
}

export function useCorrections(receipt: Receipt, onCorrected: (corrected: CorrectedReceipt) => void) {
  const { id } = receipt
  const { mends, unfit, keep } = useMends(receipt)
  const { drafts, rules } = mends
  const { originals, read, readDrafts, allRead, draftReadings } = useReadings(receipt, drafts)
  const { isLoading: isSending, error, run } = useAction<void>()

  const isReadable = (record: number) => {
    const draft = drafts.get(record)
    const known = draftReadings.get(record)
    if (draft === undefined || draft.refused !== undefined || draft.isUnchanged || draft.text === '') return false
    return known?.text === draft.text && (known.reading === null || known.reading.refusal === null)
  }
  const readable = (): Mends => ({ rules, drafts: new Map([...drafts].filter(([record]) => isReadable(record))) })
  const finish = (answer: CorrectedReceipt, sent: Drafts) => {
    const left = { drafts: draftsLeft(drafts, sent, answer), rules: [] }
    storeMends(answer, left)
    outcomes.set(answer.id, answer.corrected)
    if (answer.id === id) keep(left)
    onCorrected(answer)
  }
  const sendReadable = async () => {
    // A user who sends right after the last key means the text as typed last.
    await allRead()
    const sent = readable()
    const lines = linesOf(sent)
    if (lines.length > 0) finish(await sendCorrections(id, lines), sent.drafts)
  }
  const sent = readable()
  const applied = useLoaded(
    async (signal) => (rules.length === 0 ? null : await previewCorrections(id, linesOf(sent), signal)),
    [JSON.stringify([rules, [...sent.drafts.keys()]])],
  )
  return {
    mends,
    drafts,
    /** Mends for another reading of the file that do not fit this one. */
    unfit,
    /** What can be sent now, as the service takes it. */
    lines: linesOf(sent),
    readableCount: sent.drafts.size,
    /** What the rules do, in their order; null while that is not known. */
    outcomes: settled(applied)?.rules ?? null,
    /** The first rejects of a cause that no rule takes; null if none was tried. */
    leftOf: (cause: Cause) => applied.value?.rules?.[rules.findIndex((rule) => isOf(rule, cause))]?.left ?? null,
    isSending,
    error,
    /** The result of reading the reject itself, which shows the wrong place; request it with `ask`. */
    originalReading: (record: number): KnownReading => originals.get(record),
    ask: read,
    /** The latest result for a draft. */
    draftReading: (record: number): KnownReading => draftReadings.get(record)?.reading,
    /** Null discards the draft. */
    write: (reject: RejectPreview, text: string | null) => {
      const { record, line, byteOffset } = reject
      const next = new Map(drafts)
      if (text === null) next.delete(record)
      else
        next.set(record, { text, line, byteOffset, isUnchanged: text === originalText(reject, receipt.encoding.name) })
      keep({ rules, drafts: next })
      if (text !== null) readDrafts(new Map([[record, text]]))
    },
    apply: (rule: CorrectionRule) => keep({ drafts, rules: [...rules, rule] }),
    /** Without a rule, takes back the last one. */
    takeBack: (rule = rules.at(-1)) => keep({ drafts, rules: rules.filter((one) => one !== rule) }),
    takeAllBack: () => keep(noMends, []),
    /** True if the draft can be sent. */
    isReadable,
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

interface DraftReading {
  readonly text: string
  readonly reading: TextReading | null
}

/** Reads originals once, and each draft whenever it changes. */
function useReadings({ id, encoding, dialect, body, columns }: Receipt, drafts: Drafts) {
  const reader = useMemo(() => textReader({ encoding, dialect, body, width: columns.length }), [id])
  const originals = useRef(new Map<number, TextReading | null>()).current
  const draftReadings = useRef(new Map<number, DraftReading>()).current
  const [, render] = useState(0)
  const readAll = async (texts: ReadonlyMap<number, string>, keep: (record: number, one: DraftReading) => void) => {
    if (texts.size === 0) return
    const found = await reader.read([...texts.values()])
    for (const [at, [record, text]] of [...texts].entries()) keep(record, { text, reading: found?.[at] ?? null })
    render((turn) => turn + 1)
  }
  const reading = useRef(new Set<Promise<void>>()).current
  const readDrafts = (texts: ReadonlyMap<number, string>) => {
    const one = readAll(texts, (record, found) => draftReadings.set(record, found)).finally(() => reading.delete(one))
    reading.add(one)
  }
  const allRead = async () => void (await Promise.allSettled(reading))
  const read = (texts: ReadonlyMap<number, string>) => {
    const unknown = new Map([...texts].filter(([record]) => !originals.has(record)))
    void readAll(unknown, (record, { reading }) => originals.set(record, reading))
  }
  useLayoutEffect(() => readDrafts(new Map([...drafts].map(([record, { text }]) => [record, text]))), [])
  useLayoutEffect(() => () => reader.close(), [reader])
  return { originals, draftReadings, read, readDrafts, allRead }
}

/** Refused texts stay, with the service's message. */
function draftsLeft(drafts: Drafts, sent: Drafts, { corrected }: CorrectedReceipt): Drafts {
  const refused = new Map(corrected.firstRefused.map(({ record, ...why }) => [record, why]))
  return new Map(
    [...drafts].flatMap(([record, draft]): [number, Draft][] => {
      const why = refused.get(record)
      if (why !== undefined) return [[record, { ...draft, refused: why }]]
      return sent.has(record) ? [] : [[record, draft]]
    }),
  )
}

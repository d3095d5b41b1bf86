// Use corrections: the user's corrections of rejects, each read as it is typed, and how they are sent. Knows no element.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CorrectionOutcome } from '../../../../src/core/responses.ts'
import { type CorrectedReceipt, type Receipt, sendCorrections, sendRejectsFile } from '../../../api.ts'
import type { TextReading } from '../../../check/texts/read-texts.ts'
import { textReader } from '../../../check/texts/text-reader.ts'
import { useAction } from '../../../use-loaded.ts'
import { type Draft, type Drafts, storeDrafts, storedDrafts } from './drafts.ts'

/** What became of corrections that were just sent, by the resulting dataset, whose view shows it. */
const outcomes = new Map<string, CorrectionOutcome>()

export function outcomeOf(id: string): CorrectionOutcome | undefined {
  return outcomes.get(id)
}

/** Undefined while a text is being read, null if none can be read here. */
export type KnownReading = TextReading | null | undefined

export type CorrectionWork = ReturnType<typeof useCorrections>

export function useCorrections(receipt: Receipt, onCorrected: (corrected: CorrectedReceipt) => void) {
  const { id } = receipt
  const [drafts, setDrafts] = useState(() => storedDrafts(id))
  const { originals, read, readDrafts, allRead, draftReadings } = useReadings(receipt, drafts)
  const { outcome, run } = useAction<void>()

  const isReadable = (record: number) => {
    const draft = drafts.get(record)
    const known = draftReadings.get(record)
    if (draft === undefined || draft.refused !== undefined || draft.text === '') return false
    return known?.text === draft.text && (known.reading === null || known.reading.refusal === null)
  }
  const finish = (answer: CorrectedReceipt, sent: ReadonlySet<number>) => {
    const left = draftsLeft(drafts, sent, answer)
    storeDrafts(id, new Map())
    storeDrafts(answer.id, left)
    outcomes.set(answer.id, answer.corrected)
    if (answer.id === id) setDrafts(left)
    onCorrected(answer)
  }
  const sendReadable = async () => {
    // A user who sends right after the last key means the text as typed last.
    await allRead()
    const texts = [...drafts].flatMap(([record, { text }]) => (isReadable(record) ? [{ record, text }] : []))
    if (texts.length > 0) finish(await sendCorrections(id, texts), new Set(texts.map(({ record }) => record)))
  }
  return {
    drafts,
    isSending: outcome.state === 'loading',
    error: outcome.state === 'failed' ? outcome.error : null,
    /** The result of reading the reject itself, which shows the wrong place; request it with `ask`. */
    originalReading: (record: number): KnownReading => originals.get(record),
    ask: read,
    /** The latest result for a draft. */
    draftReading: (record: number): KnownReading => draftReadings.get(record)?.reading,
    /** Null discards the draft. */
    write: (record: number, text: string | null) => {
      const next = new Map(drafts)
      if (text === null) next.delete(record)
      else next.set(record, { text })
      setDrafts(next)
      storeDrafts(id, next)
      if (text !== null) readDrafts(new Map([[record, text]]))
    },
    /** True if the draft can be sent. */
    isReadable,
    send: () => run(sendReadable),
    sendFile: (file: File) => run(async () => finish(await sendRejectsFile(id, file), new Set())),
  }
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
function draftsLeft(drafts: Drafts, sent: ReadonlySet<number>, { corrected }: CorrectedReceipt): Drafts {
  const refused = new Map(corrected.firstRefused.map(({ record, ...why }) => [record, why]))
  return new Map(
    [...drafts].flatMap(([record, draft]): [number, Draft][] => {
      const why = refused.get(record)
      if (why !== undefined) return [[record, { text: draft.text, refused: why }]]
      return sent.has(record) ? [] : [[record, draft]]
    }),
  )
}

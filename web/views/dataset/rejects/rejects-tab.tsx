// Rejects tab: rejected records by reason, each with its place and text, corrected in place and sent together.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { RejectPreview } from '../../../../src/core/receipt.ts'
import { type CorrectedReceipt, datasetAddress, getRejects, type Receipt } from '../../../api.ts'
import { useMay } from '../../../caller.ts'
import { count } from '../../../format.ts'
import { DownloadLink } from '../../../parts/download-link.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Spoken } from '../../../parts/spoken.tsx'
import { reasonName } from '../../../reject-texts.ts'
import { datasetHref } from '../../../router.ts'
import { rejectSentence } from '../../../sentences.ts'
import { t } from '../../../texts.ts'
import { usePages } from '../../../use-loaded.ts'
import { originalText } from './drafts.ts'
import { MarkedText } from './marked-text.tsx'
import { RejectItem } from './reject-item.tsx'
import { type CorrectionWork, outcomeOf, useCorrections } from './use-corrections.ts'

const shownStep = 100

export function RejectsTab({ receipt }: { readonly receipt: Receipt }) {
  const [reason, setReason] = useState<string | null>(null)
  const load = async (cursor: number | null, signal: AbortSignal) => {
    const page = await getRejects(receipt.id, reason, cursor ?? 0, shownStep, signal)
    const end = (cursor ?? 0) + page.rejects.length
    return { items: page.rejects, next: end < page.total ? end : null }
  }
  const list = usePages(receipt.rejects.count > 0 ? load : null, [receipt.id, reason])
  // Of those loaded before, the ones with the reason are shown immediately.
  const shown = (list.items ?? []).filter((one) => reason === null || one.reason === reason)
  const work = useCorrections(receipt, goTo)
  const mayMake = useMay('upload')
  const { rejects } = receipt
  return (
    <>
      <JustSent receipt={receipt} />
      {rejects.count === 0 && <p>{t.noRejects}</p>}
      {rejects.count > 0 && (
        <>
          <Reasons rejects={rejects} chosen={reason} onChoose={setReason} />
          <p class="quiet">{mayMake ? t.correctHint : t.mayNotMake}</p>
          <Groups receipt={receipt} rejects={shown} work={work} mayMake={mayMake} />
        </>
      )}
      {list.isLoading && <p class="quiet">{t.loading}</p>}
      {list.error !== null && <Failure error={list.error} />}
      {list.hasMore && (
        <button type="button" onClick={list.more}>
          {t.more}
        </button>
      )}
      {work.error !== null && <Failure error={work.error} />}
      <SendBar work={work} />
      <CorrectedList receipt={receipt} />
      {rejects.count > 0 && mayMake && <Elsewhere receipt={receipt} work={work} />}
    </>
  )
}

/** The corrected dataset, at its remaining rejects if there are any. */
function goTo({ id, rejects }: CorrectedReceipt): void {
  const href = datasetHref(id, rejects.count > 0 ? 'fix' : 'rows')
  if (location.hash !== href) location.hash = href
  document.getElementById('main')?.focus()
}

/** The outcome of the texts that made this dataset. */
function JustSent({ receipt: { id, columns } }: { readonly receipt: Receipt }) {
  const names = columns.map(({ name }) => name)
  const outcome = outcomeOf(id)
  if (outcome === undefined) return null
  const { sent, unchanged, refused, firstRefused } = outcome
  return (
    <div class="outcome">
      <p role="status">{t.correctedSentence(count(sent - unchanged - refused), count(refused))}</p>
      {refused > 0 && (
        <ul>
          {firstRefused.map(({ record, ...why }) => (
            <li key={record}>
              {t.record} {count(record)}: <Spoken sentence={rejectSentence(why, names)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface ReasonsProps {
  readonly rejects: Receipt['rejects']
  readonly chosen: string | null
  readonly onChoose: (reason: string | null) => void
}

function Reasons({ rejects, chosen, onChoose }: ReasonsProps) {
  return (
    <fieldset class="row">
      <legend class="hidden">{t.reason}</legend>
      <button type="button" class="small" aria-pressed={chosen === null} onClick={() => onChoose(null)}>
        {t.allReasons} {count(rejects.count)}
      </button>
      {Object.entries(rejects.reasons).map(([name, times]) => (
        <button key={name} type="button" class="small" aria-pressed={chosen === name} onClick={() => onChoose(name)}>
          {reasonName(name)} {count(times)}
        </button>
      ))}
    </fieldset>
  )
}

interface GroupsProps {
  readonly receipt: Receipt
  readonly rejects: readonly RejectPreview[]
  readonly work: CorrectionWork
  readonly mayMake: boolean
}

function Groups({ receipt, rejects, work, mayMake }: GroupsProps) {
  const { encoding, columns } = receipt
  const [focused, setFocused] = useState<number | null>(null)
  const originals = new Map(rejects.map((one) => [one.record, originalText(one, encoding.name)]))
  const groups = [...Map.groupBy(rejects, ({ reason }) => reason)]
  useLayoutEffect(() => {
    work.ask(new Map([...originals].flatMap(([record, text]) => (text === null ? [] : [[record, text] as const]))))
  }, [rejects.length, rejects[0]?.record])
  // In the order in which they are shown.
  const editable = groups
    .flatMap(([, group]) => group)
    .filter(({ record }) => typeof originals.get(record) === 'string')
  const edit = (record: number) => {
    if (!work.drafts.has(record)) work.write(record, originals.get(record) ?? '')
    setFocused(record)
  }
  const next = (record: number) => {
    const following = editable[editable.findIndex((one) => one.record === record) + 1]
    if (following !== undefined) edit(following.record)
    else document.getElementById(sendId)?.focus()
  }
  const leave = (record: number) => {
    work.write(record, null)
    setFocused(null)
  }
  return groups.map(([reason, group]) => (
    <section key={reason}>
      <h2>
        {reasonName(reason)} <code class="quiet">{reason}</code>
      </h2>
      <ul class="list">
        {group.map((reject) => {
          const { record } = reject
          const original = originals.get(record) ?? null
          return (
            <RejectItem
              key={record}
              reject={reject}
              original={original}
              work={work}
              columns={columns}
              isFocused={focused === record}
              mayEdit={mayMake}
              onEdit={() => edit(record)}
              onLeave={() => leave(record)}
              onNext={() => next(record)}
            />
          )
        })}
      </ul>
    </section>
  ))
}

const sendId = 'send-corrections'

function SendBar({ work }: { readonly work: CorrectionWork }) {
  const { drafts, isReadable, isSending, send } = work
  if (drafts.size === 0) return null
  const readable = [...drafts.keys()].filter(isReadable).length
  return (
    <div class="toast row between">
      <span role="status">{t.draftsSentence(count(readable), count(drafts.size - readable))}</span>
      <button id={sendId} type="button" class="main" disabled={isSending || readable === 0} onClick={send}>
        {isSending ? t.phases.sending : t.sendCorrections}
      </button>
    </div>
  )
}

/** For users with many corrections: the same in a spreadsheet. */
function Elsewhere({ receipt: { id, file }, work }: { readonly receipt: Receipt; readonly work: CorrectionWork }) {
  const base = file.name.replace(/\.[^.]*$/, '') || id
  return (
    <section>
      <h2>{t.editElsewhere}</h2>
      <p>{t.editElsewhereHint}</p>
      <p class="row">
        <DownloadLink
          name={t.rejectsCsv}
          address={datasetAddress(id, '/rejects.csv')}
          fileName={`${base}.rejects.csv`}
        />
        <label class="button plain-button">
          {t.sendEdited}
          <input
            type="file"
            accept=".csv,text/csv"
            class="hidden-input"
            disabled={work.isSending}
            onChange={({ currentTarget }) => {
              const [edited] = currentTarget.files ?? []
              currentTarget.value = ''
              if (edited !== undefined) work.sendFile(edited)
            }}
          />
        </label>
      </p>
    </section>
  )
}

/** The first records that were corrected, each as it was and as it is read now. */
function CorrectedList({ receipt: { id, file, columns, corrections } }: { readonly receipt: Receipt }) {
  if (corrections === undefined) return null
  const names = columns.map(({ name }) => name)
  return (
    <section>
      <div class="row between">
        <h2>{t.correctedRecords(count(corrections.count))}</h2>
        <DownloadLink
          name={t.correctionsFile}
          address={datasetAddress(id, '/corrections')}
          fileName={`${file.name}.corrections.ndjson`}
        />
      </div>
      <ul class="list">
        {corrections.first.map(({ record, line, text, base64, correctedText, ...why }) => (
          <li key={record} class="reject">
            <div class="row between">
              <span>
                <strong class="figures">
                  {t.line} {count(line)}
                </strong>{' '}
                <span class="quiet figures">
                  {t.record} {count(record)}
                </span>
              </span>
              <span class="quiet">
                <Spoken sentence={rejectSentence(why, names)} />
              </span>
            </div>
            <del>
              <MarkedText text={text ?? base64 ?? ''} place={null} />
            </del>
            <ins>
              <MarkedText text={correctedText} place={null} />
            </ins>
          </li>
        ))}
      </ul>
      {corrections.count > corrections.first.length && (
        <p class="quiet">{t.firstOnly(count(corrections.first.length))}</p>
      )}
    </section>
  )
}

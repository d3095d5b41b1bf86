// Fix tab: rejects by cause, with the chosen cause beside them: rules, what they change, and its records one by one.
import { useLayoutEffect } from 'preact/hooks'
import { type CorrectedReceipt, datasetAddress, type Receipt, type TabProps } from '../../../api.ts'
import { useMay } from '../../../caller.ts'
import { count } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { DownloadLink } from '../../../parts/download-link.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Spoken } from '../../../parts/spoken.tsx'
import { datasetHref, goTo } from '../../../router.ts'
import { rejectSentence } from '../../../sentences.ts'
import { t } from '../../../texts.ts'
import { useLoaded } from '../../../use-loaded.ts'
import { CauseView, Changes, causeName, mendedOf, ruleName } from './cause-view.tsx'
import { type Cause, causeKey, causesByColumn, causesOf, isOf } from './causes.ts'
import { type CorrectionWork, outcomesSent, useCorrections } from './use-corrections.ts'

/** @param props.query The chosen cause. */
export function FixTab({ receipt, query }: TabProps) {
  const work = useCorrections(receipt, openCorrected)
  const mayMake = useMay('upload')
  const { value: split } = useLoaded(
    async (signal) => (mayMake ? await causesByColumn(receipt, signal) : causesOf(receipt)),
    [receipt.id, mayMake],
  )
  const causes = split ?? causesOf(receipt)
  const chosen = causes.find((one) => causeKey(one) === query) ?? causes[0]
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyped = event.target instanceof HTMLElement && event.target.matches('input:not([type=radio]), textarea')
      if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || isTyped) return
      event.preventDefault()
      work.takeBack()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return (
    <>
      <JustSent receipt={receipt} />
      <UnfitNote work={work} />
      {chosen === undefined ? (
        <div class="empty">
          <h2>{t.nothingToMend}</h2>
          <p>{t.noRejects}</p>
        </div>
      ) : (
        <div class="fix">
          <nav class="causes" aria-label={t.causes}>
            {causes.map((one) => (
              <CauseLink key={causeKey(one)} id={receipt.id} cause={one} isChosen={one === chosen} work={work} />
            ))}
            {mayMake && <Elsewhere receipt={receipt} work={work} />}
          </nav>
          <CauseView key={causeKey(chosen)} receipt={receipt} cause={chosen} work={work} mayMake={mayMake} />
        </div>
      )}
      {work.error !== null && <Failure error={work.error} />}
      <CorrectedList receipt={receipt} />
      <Outcome total={receipt.rejects.count} work={work} />
    </>
  )
}

/** The corrected dataset, with what became of the mends. */
function openCorrected({ id }: CorrectedReceipt): void {
  goTo(datasetHref(id, 'fix'))
  document.getElementById('main')?.focus()
}

interface CauseLinkProps {
  readonly id: string
  readonly cause: Cause
  readonly isChosen: boolean
  readonly work: CorrectionWork
}

function CauseLink({ id, cause, isChosen, work }: CauseLinkProps) {
  const mended = mendedOf(cause, work)
  const last = work.rules.findLast((rule) => isOf(rule, cause))
  return (
    <a href={`${datasetHref(id, 'fix')}?${encodeURIComponent(causeKey(cause))}`} aria-current={isChosen || undefined}>
      <b>{causeName(cause)}</b>{' '}
      <span class={`strong ${mended > 0 ? 'good' : 'warn'}`}>
        {mended > 0 && `${count(mended)} ✓ `}
        {mended < cause.count && count(cause.count - mended)}
      </span>
      {last !== undefined && <span class="small quiet">{ruleName(last)}</span>}
    </a>
  )
}

/** The outcome of the mends that made this dataset. */
function JustSent({ receipt: { id, columns } }: { readonly receipt: Receipt }) {
  const names = columns.map(({ name }) => name)
  const outcome = outcomesSent.get(id)
  if (outcome === undefined) return null
  const { sent, unchanged, refused, firstRefused } = outcome
  return (
    <div class="note">
      <Icon name="info" />
      <div>
        <p role="status">
          {t.correctedSentence(count(sent - unchanged - refused))}
          {refused > 0 && ` · ${t.stillWrong(count(refused))}`}
        </p>
        <ul>
          {firstRefused.map(({ record, ...why }) => (
            <li key={record}>
              {t.record} {count(record)}: <Spoken sentence={rejectSentence(why, names)} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

/** Mends for another reading of the file that do not fit this one. */
function UnfitNote({ work: { unfit } }: { readonly work: CorrectionWork }) {
  if (unfit.length === 0) return null
  return (
    <div class="note warn">
      <Icon name="warning" />
      <div>
        <p role="status">{t.unfitMends(count(unfit.length))}</p>
        <ul>
          {unfit.map((one, at) => (
            <li key={at}>
              {'rule' in one
                ? `${causeName(one.rule)}: ${ruleName(one.rule)}`
                : `${t.line} ${count(one.line)}: ${one.text}`}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Outcome({ total, work }: { readonly total: number; readonly work: CorrectionWork }) {
  const { drafts, rules, outcomes, readableCount, isSending } = work
  if (drafts.size + rules.length === 0) return null
  const mended = readableCount + (outcomes ?? []).reduce((sum, one) => sum + one.mended, 0)
  const shown = outcomes === null && rules.length > 0 ? '…' : count(mended)
  const wrong = drafts.size - readableCount
  return (
    <section class="outcome" aria-label={t.outcome}>
      <p class="small" role="status">
        <b class="strong">{t.mendedOf(shown, count(total))}</b>
        {wrong > 0 && <span class="warn"> · {t.stillWrong(count(wrong))}</span>}{' '}
        <span class="quiet phone-hide">· {t.nothingStored}</span>
      </p>
      <span class="grow phone-hide" />
      <Button text={t.takeAllBack} look="ghost" onClick={work.takeAllBack} />
      <Button
        id="store-corrections"
        text={isSending ? t.phases.sending : t.storeCorrections(shown)}
        look="primary"
        disabled={isSending || mended === 0}
        onClick={work.send}
      />
    </section>
  )
}

/** For users who prefer a spreadsheet. */
function Elsewhere({ receipt: { id, file }, work }: { readonly receipt: Receipt; readonly work: CorrectionWork }) {
  const base = file.name.replace(/\.[^.]*$/, '') || id
  return (
    <div class="hint small quiet">
      <p>{t.editElsewhereHint}</p>
      <p class="row">
        <DownloadLink
          name={t.rejectsCsv}
          address={datasetAddress(id, '/rejects.csv')}
          fileName={`${base}.rejects.csv`}
        />
        <label class="btn small">
          {t.sendEdited}
          <input
            type="file"
            accept=".csv,text/csv"
            class="hidden"
            disabled={work.isSending}
            onChange={({ currentTarget }) => {
              const [edited] = currentTarget.files ?? []
              currentTarget.value = ''
              if (edited !== undefined) work.sendFile(edited)
            }}
          />
        </label>
      </p>
    </div>
  )
}

/** The first records that were corrected, each as it was and as it is read now. */
function CorrectedList({ receipt: { id, file, corrections } }: { readonly receipt: Receipt }) {
  if (corrections === undefined) return null
  const { first } = corrections
  return (
    <section class="cause">
      <div class="row">
        <h2>{t.correctedRecords(count(corrections.count))}</h2>
        <DownloadLink
          name={t.correctionsFile}
          address={datasetAddress(id, '/corrections')}
          fileName={`${file.name}.corrections.ndjson`}
        />
      </div>
      <Changes changes={first.map(({ text, base64, ...one }) => ({ ...one, text: text ?? base64 ?? '' }))} />
      {corrections.count > first.length && <p class="quiet">{t.firstOnly(count(first.length))}</p>}
    </section>
  )
}

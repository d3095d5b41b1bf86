// Tray: the uploads of this visit and those of others in progress, at the foot of every screen, each with its strip,
// what is known of it, and what can be done. Says in one sentence when one has ended.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { UploadStatus } from '../../../src/core/upload-status.ts'
import { cancelUpload, getReceipt } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { acceptedText, bytes, count, duration, percent, shownName } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { receiptTicks } from '../../parts/reject-ticks.ts'
import { Strip } from '../../parts/strip.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { useIsGone, useLive } from '../../upload/live.ts'
import type { UploadResult } from '../../upload/send-file.ts'
import { type QueuedUpload, queue } from '../../upload/upload-queue.ts'
import { useLoaded } from '../../use-loaded.ts'

export function Tray() {
  const { running } = useLive()
  const own = queue.use().uploads.filter(isSent)
  const others = [...running.values()].filter((status) => !own.some((upload) => isOf(upload, status)))
  const [isOpen, setOpen] = useState(() => innerWidth > phoneWidth)
  const said = useLastEnd(own)
  const need = own.filter(needsUser).length
  const done = own.filter(({ phase }) => phase === 'done').length
  return (
    <aside class="tray" aria-label={t.uploads} hidden={own.length + others.length === 0}>
      <p class="hidden" role="status">
        {said}
      </p>
      {own.length + others.length > 0 && (
        <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            <b class={need > 0 ? 'strong warn' : 'strong'}>
              {need > 0 ? t.uploadsNeedYou(count(need)) : t.uploadCount(count(own.length + others.length))}
              {need === 0 && done > 0 && `, ${t.doneCount(count(done))}`}
            </b>
            <span class="live-line">{lineOf(own, others) ?? said}</span>
            <span class="grow" />
            <Icon name="turn" class="turn" />
          </summary>
          <ul class="uploads">
            {own.map((upload) => (
              <OwnUpload key={upload.number} upload={upload} status={statusOf(upload, running)} />
            ))}
            {others.map((status) => (
              <OtherUpload key={status.id} status={status} />
            ))}
          </ul>
        </details>
      )}
    </aside>
  )
}

/** On a phone, the tray begins closed. Pixels. */
const phoneWidth = 640

/** A chosen file that was not sent stands on the start page. */
export function isSent({ phase, file, id }: QueuedUpload): boolean {
  return phase !== 'ready' && !(phase === 'failed' && file === null && id === null)
}

/** The service names an upload in one request only at its end: until then, its name has to do. */
function isOf({ id, name, phase }: QueuedUpload, status: UploadStatus): boolean {
  const isOnItsWay = phase === 'sending' || phase === 'processing'
  return id === status.id || (id === null && isOnItsWay && name === status.fileName)
}

function statusOf(upload: QueuedUpload, running: ReadonlyMap<string, UploadStatus>): UploadStatus | null {
  return upload.status ?? [...running.values()].find((status) => isOf(upload, status)) ?? null
}

function needsUser({ phase, file }: QueuedUpload): boolean {
  return phase === 'failed' || (phase === 'paused' && file === null)
}

/** The sentence about the upload that ended last in this visit; empty before any. */
function useLastEnd(own: readonly QueuedUpload[]): string {
  const [said, say] = useState('')
  const known = useRef<ReadonlySet<number>>(new Set())
  const ended = own.filter(({ phase }) => phase === 'done' || phase === 'failed')
  useLayoutEffect(() => {
    const last = ended.find(({ number }) => !known.current.has(number))
    known.current = new Set(ended.map(({ number }) => number))
    if (last === undefined) return
    const name = shownName(last.name)
    say(last.result === null ? t.uploadFailed(name) : `${name}: ${acceptedText(last.result)}`)
  })
  return said
}

/** About the first that is on its way. */
function lineOf(own: readonly QueuedUpload[], others: readonly UploadStatus[]): string | null {
  const upload = own.find(({ phase }) => phase === 'sending' || phase === 'processing')
  if (upload !== undefined) {
    const { name, size, sentBytes, isBroken } = upload
    const left = leftMs(upload)
    const line = `${shownName(name)} ${percent(size === 0 ? 1 : sentBytes / size)}`
    if (isBroken) return `${line}, ${t.broken}`
    return left === null ? line : `${line}, ${t.left(duration(left))}`
  }
  const [other] = others
  return other === undefined ? null : `${shownName(other.fileName ?? other.id)}: ${t.phases[other.phase]}`
}

function leftMs({ phase, size, sentBytes, rate }: QueuedUpload): number | null {
  return phase === 'sending' && rate > 0 ? ((size - sentBytes) / rate) * 1_000 : null
}

interface OwnUploadProps {
  readonly upload: QueuedUpload
  readonly status: UploadStatus | null
}

function OwnUpload({ upload, status }: OwnUploadProps) {
  const { phase, size, sentBytes, result, error, file } = upload
  const name = shownName(upload.name)
  const share = size === 0 ? 1 : sentBytes / size
  const done = result !== null && (
    <>
      <span class="good">✓</span> {t.phases.done} · {acceptedText(result)}
      {result.isDuplicate && ` · ${t.alreadyStored}`}
    </>
  )
  return (
    <li ref={useFocusOnPhase(phase)} tabIndex={-1}>
      <span class="name strong">{name}</span>
      {result === null ? (
        <Strip label={`${name}: ${percent(share)}`} read={share} header={0.003} />
      ) : (
        <DoneStrip name={name} result={result} />
      )}
      <span class="said small quiet">{done || said(upload, status)}</span>
      <span class="row">
        {result !== null && <OpenLink name={name} result={result} />}
        <Buttons name={upload.name} actions={actionsOf(upload)} />
      </span>
      {phase === 'paused' && file === null && <p class="told">{t.chooseAgain}</p>}
      {error !== null && (
        <div class="told">
          <Failure error={error} />
        </div>
      )}
    </li>
  )
}

/** Where the rejects lie is in the receipt. */
function DoneStrip({ name, result }: { readonly name: string; readonly result: UploadResult }) {
  const mayRead = useMay('read')
  const { value: receipt } = useLoaded(
    async (signal) => (mayRead && result.rejected > 0 ? getReceipt(result.datasetId, signal) : null),
    [result.datasetId],
  )
  return (
    <Strip label={`${name}: ${acceptedText(result)}`} header={0.003} ticks={receipt ? receiptTicks(receipt) : []} />
  )
}

function said(upload: QueuedUpload, status: UploadStatus | null): string {
  const { phase, size, sentBytes, isBroken } = upload
  const left = leftMs(upload)
  const isStill = phase === 'failed' || phase === 'canceled' || phase === 'waiting'
  const facts = [
    !isStill && phase !== 'processing' && `${bytes(sentBytes)} / ${bytes(size)}`,
    status?.records && t.recordsSoFar(count(status.records.accepted), count(status.records.rejected)),
    left !== null && t.left(duration(left)),
    isBroken ? t.broken : phase !== 'sending' && t.phases[phase === 'processing' && status ? status.phase : phase],
  ]
  return facts.filter(Boolean).join(' · ')
}

function OpenLink({ name, result }: { readonly name: string; readonly result: UploadResult }) {
  const isGone = useIsGone(result.datasetId)
  if (!useMay('read') || isGone) return null
  return (
    <a
      class="btn small"
      href={datasetHref(result.datasetId)}
      aria-label={`${t.open}: ${name}, ${acceptedText(result)}`}
    >
      {t.open}
    </a>
  )
}

/** If the pressed button disappears with its phase, the focus moves to the upload, not to the top of the page. */
function useFocusOnPhase(phase: QueuedUpload['phase']) {
  const item = useRef<HTMLLIElement>(null)
  const isStill = phase === 'done' || phase === 'failed'
  useLayoutEffect(() => {
    if (!isStill && document.activeElement === document.body) item.current?.focus({ preventScroll: true })
  }, [phase])
  return item
}

type Action = readonly [label: string, isPossible: boolean, run: () => void]

function actionsOf({ number, phase, file, id }: QueuedUpload): readonly Action[] {
  const isRunning = phase === 'waiting' || phase === 'sending' || phase === 'processing'
  return [
    [t.pause, phase === 'sending' && id !== null, () => queue.pause(number)],
    [t.resume, phase === 'paused' && file !== null, () => queue.send(number)],
    [t.cancel, isRunning || phase === 'paused', () => queue.cancel(number)],
    [t.retry, (phase === 'failed' || phase === 'canceled') && file !== null, () => queue.send(number)],
    [t.remove, !isRunning && phase !== 'paused', () => queue.remove(number)],
  ]
}

function Buttons({ name, actions }: { readonly name: string; readonly actions: readonly Action[] }) {
  return actions.map(
    ([label, isPossible, run]) =>
      isPossible && <Button key={label} text={label} of={name} look="small ghost" onClick={run} />,
  )
}

/** An upload by someone else, or by another tab. */
function OtherUpload({ status: { id, fileName, phase, bytes: size, records } }: { readonly status: UploadStatus }) {
  const name = shownName(fileName ?? id)
  const mayCancel = useMay('upload')
  const facts = [
    `${bytes(size.received)}${size.expected === null ? '' : ` / ${bytes(size.expected)}`}`,
    records !== null && t.recordsSoFar(count(records.accepted), count(records.rejected)),
    t.phases[phase],
  ]
  return (
    <li>
      <span class="name strong">{name}</span>
      <Strip label={`${t.progress}: ${name}`} read={size.expected === null ? 0.5 : size.received / size.expected} />
      <span class="said small quiet">{facts.filter(Boolean).join(' · ')}</span>
      <span class="row">
        {/* It may have ended in the meantime: the next event shows that. */}
        <Buttons name={name} actions={[[t.cancel, mayCancel, () => void cancelUpload(id).catch(() => {})]]} />
      </span>
    </li>
  )
}

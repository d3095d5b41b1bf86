// Send progress: running uploads as one line, with phase, rate and remaining time. Does not know how they are sent.
import type { Client } from '../../client/client.ts'
import type { SendProgress } from '../../client/request-body.ts'
import type { SentStatus } from '../../client/response-shapes.ts'
import { counted, shownBytes, shownCount, shownTime } from '../terminal/format-amounts.ts'
import { printable } from '../terminal/printable.ts'
import { progressText, RateMeter } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { OutgoingUpload } from './outgoing-upload.ts'

/** All uploads as one line. */
export function statusLine(client: Client, uploads: readonly OutgoingUpload[]): () => string {
  const meter = new RateMeter()
  const phases = new PhaseText()
  const isKnown = uploads.every(({ file }) => file.bytes !== null)
  const totalBytes = isKnown ? uploads.reduce((sum, { file }) => sum + (file.bytes ?? 0), 0) : null
  return () => {
    const sentBytes = uploads.reduce((sum, { sending, isDone, file }) => {
      return sum + ((isDone ? file.bytes : null) ?? sending.sentBytes)
    }, 0)
    const skippedBytes = uploads.reduce((sum, { sending }) => sum + sending.skippedBytes, 0)
    const rate = meter.rate(sentBytes - skippedBytes)
    const running = uploads.filter((upload) => upload.isRunning)
    const [first] = running
    const done = uploads.filter(({ isDone }) => isDone).length
    const which = uploads.length === 1 ? printable(uploads[0]!.file.as) : `${done} of ${uploads.length} files`
    const sending = () => `sending  ${progressText(sentBytes, totalBytes, rate)}`
    if (running.length !== 1 || first === undefined) return `${which}  ${sending()}`
    if (first.sending.phase === 'waiting') first.follow(client)
    const { status } = first
    const isRead = status?.phase === 'reading' || status?.phase === 'writing'
    const waiting = waitingFor(first.sending)
    const isWaiting = first.sending.phase === 'waiting' && first.sending.pause === null
    return `${which}  ${isWaiting && isRead ? phases.of(status) : (waiting ?? sending())}`
  }
}

/** What the server does with an upload, as text. */
export class PhaseText {
  readonly #bytes = new RateMeter()
  readonly #records = new RateMeter()

  of({ phase, bytes, records }: SentStatus): string {
    if (phase === 'receiving') {
      return `receiving  ${progressText(bytes.received, bytes.expected, this.#bytes.rate(bytes.received))}`
    }
    const total = records?.total ?? 0
    const rate = this.#records.rate(total)
    const speed =
      phase !== 'reading' || rate === null || rate <= 0 ? '' : ` · ${shownCount(Math.round(rate))} records/s`
    return `${phase}  ${counted(total, 'record')}${speed}`
  }
}

function waitingFor({ phase, pause, sentBytes }: SendProgress): string | null {
  if (pause !== null) {
    const leftMs = Math.max(0, pause.untilMs - performance.now())
    return `trying again in ${shownTime(leftMs)}: ${printable(pause.failure.message)}`
  }
  if (phase === 'asking') return 'asking the server'
  return phase === 'waiting' ? `${shownBytes(sentBytes)} sent, waiting for the receipt` : null
}

/** Without a progress display, each pause gets a line, so that the log explains the wait. */
export function reportPauses(terminal: Terminal, uploads: readonly OutgoingUpload[]): Disposable {
  const reported = new WeakSet<object>()
  const look = () => {
    for (const { file, sending } of uploads) {
      if (sending.pause === null || reported.has(sending.pause)) continue
      reported.add(sending.pause)
      terminal.say(`${printable(file.as)}: ${waitingFor(sending)}`)
    }
  }
  const timer = terminal.showsProgress ? undefined : setInterval(look, 100)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

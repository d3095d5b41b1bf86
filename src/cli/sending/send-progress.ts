// Send progress: running uploads as one line, with phase, rate and remaining time. Does not know how they are sent.
import type { SendProgress } from '../../client/request-body.ts'
import { shownBytes, shownTime } from '../terminal/format-amounts.ts'
import { printable } from '../terminal/printable.ts'
import { progressText, RateMeter } from '../terminal/progress.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { OutgoingUpload } from './outgoing-upload.ts'

/** All uploads as one line. */
export function statusLine(uploads: readonly OutgoingUpload[]): () => string {
  const meter = new RateMeter()
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
    const waiting = running.length === 1 && first ? waitingFor(first.sending) : null
    return `${which}  ${waiting ?? `sending  ${progressText(sentBytes, totalBytes, rate)}`}`
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

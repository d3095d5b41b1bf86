// Ready file: a chosen file that has not been sent: how it would be read, what is said about it, and on request a check
// of the whole file.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api.ts'
import { useUploadBlocker } from '../../caller.ts'
import { shownName } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { FileReading, useReading } from '../../parts/file-reading.tsx'
import { t } from '../../texts.ts'
import { type QueuedUpload, queue } from '../../upload/upload-queue.ts'

interface ReadyFileProps {
  readonly upload: QueuedUpload
  readonly file: File
}

export function ReadyFile({ upload, file }: ReadyFileProps) {
  const { number } = upload
  const [isChecking, setChecking] = useState(false)
  const reading = useReading(file, upload, isChecking ? 'whole' : 'head')
  const { whole, schema, error } = reading
  const checkLabel = whole.isRunning ? t.stopCheck : whole.tookMs !== null ? t.hideCheck : t.checkWhole
  const isRefused = error instanceof ApiError
  useLayoutEffect(() => queue.setRefused(number, isRefused), [number, isRefused])
  useLayoutEffect(() => queue.declare(number, { schema }), [number, schema])
  const blocker = useUploadBlocker()(file.size)
  const maySend = !isRefused && blocker === null
  const item = useFocus(maySend, () => queue.send(number))
  return (
    <li class="frame ready" {...item}>
      <FileReading
        file={file}
        name={shownName(file.name)}
        declared={upload}
        onDeclare={(change) => queue.declare(number, change)}
        reading={reading}
      >
        {blocker === null ? (
          <span class="quiet small">{t.phases.ready}</span>
        ) : (
          <strong role="status">{blocker}</strong>
        )}
        <Button text={t.remove} of={file.name} look="ghost" onClick={() => queue.remove(number)} />
        <Button
          text={checkLabel}
          of={file.name}
          disabled={error !== null && !isChecking}
          onClick={() => setChecking(!isChecking)}
        />
        <Button text={t.send} of={file.name} look="primary" disabled={!maySend} onClick={() => queue.send(number)} />
      </FileReading>
    </li>
  )
}

/**
 * Enter sends a file that was just chosen, and Space, as anywhere, scrolls; a user who is elsewhere on the page stays
 * there.
 */
function useFocus(maySend: boolean, onSend: () => void) {
  const item = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    const { activeElement } = document
    const isFree = activeElement === document.body || activeElement instanceof HTMLInputElement
    if (maySend && isFree) item.current?.focus({ preventScroll: true })
  }, [])
  const onKeyDown = ({ key, target, currentTarget }: KeyboardEvent) => {
    if (key === 'Enter' && target === currentTarget && maySend) onSend()
  }
  return { ref: item, tabIndex: -1, onKeyDown }
}

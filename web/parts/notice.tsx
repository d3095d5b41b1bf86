// Notice: one sentence about what was done, with its way back, for some seconds; it stays under the pointer or the focus.
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'
import { t } from '../texts.ts'
import { Failure } from './failure.tsx'
import { Icon } from './icon.tsx'

interface Notice {
  readonly text: string
  readonly action: string
  onAction(): Promise<void>
  /** Called when it is no longer shown. */
  onGone(): void
}

const shownMs = 20_000

let shown: Notice | null = null
let changed = () => {}

/** Takes the place of the notice before. */
export function showNotice(notice: Notice): void {
  shown = notice
  changed()
}

export function NoticePlace() {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  const [isHeld, hold] = useState(false)
  const [error, setError] = useState<unknown>(null)
  changed = () => {
    setError(null)
    render(null)
  }
  const notice = shown
  const close = () => {
    shown = null
    hold(false)
    render(null)
    notice?.onGone()
  }
  useLayoutEffect(() => {
    if (notice === null || isHeld || error !== null) return
    const timer = setTimeout(close, shownMs)
    return () => clearTimeout(timer)
  }, [notice, isHeld, error])
  if (notice === null) return null
  return (
    <div
      class="toast"
      role="status"
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      {error === null ? <span>{notice.text}</span> : <Failure error={error} />}
      <button type="button" class="btn small" onClick={() => notice.onAction().then(close, setError)}>
        {notice.action}
      </button>
      <button type="button" class="btn ghost icon-only" aria-label={t.close} onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  )
}

// Notice: one sentence about what was done, with its way back, for some seconds; it stays under the pointer or the focus.
import { useLayoutEffect, useState } from 'preact/hooks'
import { sharedState } from '../shared-state.ts'
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

const state = sharedState<{ readonly notice: Notice | null; readonly error: unknown }>({ notice: null, error: null })

/** Takes the place of the notice before. */
export function showNotice(notice: Notice): void {
  state.change({ notice, error: null })
}

export function NoticePlace() {
  const { notice, error } = state.use()
  const [isHeld, hold] = useState(false)
  const close = () => {
    state.change({ notice: null })
    hold(false)
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
      <button
        type="button"
        class="btn small"
        onClick={() => notice.onAction().then(close, (failure) => state.change({ error: failure }))}
      >
        {notice.action}
      </button>
      <button type="button" class="btn ghost icon-only" aria-label={t.close} onClick={close}>
        <Icon name="close" />
      </button>
    </div>
  )
}

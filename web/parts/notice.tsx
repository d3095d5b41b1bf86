// Notice: what was moved to the trash, with the way back, for some seconds; it stays under the pointer or the focus.
import { useLayoutEffect, useState } from 'preact/hooks'
import { count, shownName } from '../format.ts'
import { t } from '../texts.ts'
import { forgetTrashed, putBack, trashed } from '../trash.ts'
import { Button } from './controls.tsx'
import { Failure } from './failure.tsx'

const shownMs = 20_000

export function NoticePlace() {
  const { datasets, failure } = trashed.use()
  const [first, ...others] = datasets
  if (first === undefined) return null
  const text =
    others.length === 0 ? t.isInTrash(shownName(first.file.name) || first.id) : t.areInTrash(count(datasets.length))
  return (
    <div class="toast-place">
      <Notice text={text} failure={failure} />
    </div>
  )
}

function Notice({ text, failure }: { readonly text: string; readonly failure: unknown }) {
  const [isHeld, setHeld] = useState(false)
  useLayoutEffect(() => {
    if (isHeld || failure !== null) return
    const timer = setTimeout(forgetTrashed, shownMs)
    return () => clearTimeout(timer)
  }, [text, isHeld, failure])
  return (
    <div
      class="toast"
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      {failure === null ? <span>{text}</span> : <Failure error={failure} />}
      <Button text={t.putBack} look="small" onClick={() => void putBack()} />
      <Button text={t.close} icon="close" look="ghost icon-only" onClick={forgetTrashed} />
    </div>
  )
}

// Key form: asks for the key that requests are sent with. Knows nothing of what it allows.
import { useState } from 'preact/hooks'
import { currentKey } from '../api.ts'
import { enterKey } from '../caller.ts'
import { t } from '../texts.ts'
import { useAction } from '../use-loaded.ts'
import { Button } from './controls.tsx'
import { Failure } from './failure.tsx'
import { Icon } from './icon.tsx'

export function KeyForm() {
  const [key, change] = useState('')
  const { value: isAccepted, isLoading, error, run } = useAction<boolean>()
  // A key that was kept may be refused, too.
  const isRefused = isAccepted === null ? currentKey() !== null : !isAccepted
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    run(() => enterKey(key.trim() || null))
  }
  return (
    <form class="note ask key-form" onSubmit={onSubmit}>
      <Icon name="warning" />
      <div>
        {error === null ? <p role="alert">{isRefused ? t.keyWrong : t.keyNeeded}</p> : <Failure error={error} />}
        <p class="row">
          <label>
            {t.key}{' '}
            <input
              class="field"
              type="password"
              autocomplete="off"
              required
              value={key}
              onInput={({ currentTarget }) => change(currentTarget.value)}
            />
          </label>
          <Button type="submit" text={t.useKey} look="primary" disabled={isLoading} />
        </p>
        <p class="quiet small">{t.keyKept}</p>
      </div>
    </form>
  )
}

// Key form: asks for the key that requests are sent with. Knows nothing of what it allows.
import { useState } from 'preact/hooks'
import { currentKey } from '../api.ts'
import { enterKey } from '../caller.ts'
import { t } from '../texts.ts'

type Trying = 'no' | 'yes' | 'refused' | 'lost'

export function KeyForm() {
  const [key, change] = useState('')
  const [trying, setTrying] = useState<Trying>(currentKey() === null ? 'no' : 'refused')
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    setTrying('yes')
    const isAccepted = await enterKey(key.trim() || null).catch(() => null)
    setTrying(isAccepted === null ? 'lost' : isAccepted ? 'no' : 'refused')
  }
  return (
    <form class="failure key-form" onSubmit={onSubmit}>
      <p role="alert">{trying === 'refused' ? t.keyWrong : trying === 'lost' ? t.noResponse : t.keyNeeded}</p>
      <p class="row">
        <label>
          {t.key}{' '}
          <input
            type="password"
            autocomplete="off"
            required
            value={key}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={trying === 'yes'}>
          {t.useKey}
        </button>
      </p>
      <p class="quiet">{t.keyKept}</p>
    </form>
  )
}

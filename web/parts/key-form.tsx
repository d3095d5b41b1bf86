// Key form: asks for the key that requests are sent with. Knows nothing of what it allows.
import { useState } from 'preact/hooks'
import { currentKey } from '../api.ts'
import { enterKey } from '../caller.ts'
import { t } from '../texts.ts'
import { Failure } from './failure.tsx'

type Trying = 'no' | 'yes' | 'refused'

export function KeyForm() {
  const [key, change] = useState('')
  const [trying, setTrying] = useState<Trying>(currentKey() === null ? 'no' : 'refused')
  const [error, setError] = useState<unknown>(null)
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    setTrying('yes')
    setError(null)
    try {
      setTrying((await enterKey(key.trim() || null)) ? 'no' : 'refused')
    } catch (failure) {
      setTrying('no')
      setError(failure)
    }
  }
  return (
    <form class="failure key-form" onSubmit={onSubmit}>
      {error === null ? (
        <p role="alert">{trying === 'refused' ? t.keyWrong : t.keyNeeded}</p>
      ) : (
        <Failure error={error} />
      )}
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

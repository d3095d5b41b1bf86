// Failure: an error as words, with the way out; where a key is missing, a place to give one. Knows no route.
import { useState } from 'preact/hooks'
import { ApiError, currentKey, setKey } from '../api.ts'
import { t } from '../texts.ts'

export function Failure({ error }: { readonly error: unknown }) {
  if (error instanceof ApiError && error.status === 401) return <KeyForm />
  const isLost = error instanceof ApiError && error.status === 0
  const message = error instanceof Error ? error.message : String(error)
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{t.error}.</strong> {isLost ? t.connectionLost : message}
      </p>
    </div>
  )
}

/** Asks for the key that requests are sent with, and starts the view anew. */
function KeyForm() {
  const [key, change] = useState('')
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    setKey(key.trim() === '' ? null : key.trim())
    location.reload()
  }
  return (
    <form class="failure" onSubmit={onSubmit}>
      <p role="alert">{currentKey() === null ? t.keyNeeded : t.keyWrong}</p>
      <p class="row">
        <label>
          {t.key}{' '}
          <input
            type="password"
            autocomplete="off"
            value={key}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
        </label>
        <button type="submit">{t.useKey}</button>
      </p>
      <p class="quiet">{t.keyKept}</p>
    </form>
  )
}

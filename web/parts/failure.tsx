// Failure: an error as words, with the way out. Knows no route.
import { useEffect } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { lookAtCaller, useCaller } from '../caller.ts'
import { Refusal } from '../check/run-check.ts'
import { failureSentences } from '../sentences.ts'
import { t } from '../texts.ts'
import { Spoken } from './spoken.tsx'

export function Failure({ error }: { readonly error: unknown }) {
  const { isRefused } = useCaller()
  const status = error instanceof ApiError ? error.status : null
  // The key may have expired since it was first used.
  useEffect(() => void (status === 401 && lookAtCaller()), [status])
  // The page asks for a key above.
  if (status === 401 && isRefused) return null
  // The service, and its code that checks files here, speak English.
  const isTheirs = error instanceof ApiError || error instanceof Refusal
  const sentences = isTheirs ? failureSentences(error) : [{ text: messageOf(error), lang: undefined }]
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{t.error}.</strong>{' '}
        {status === 0 ? t.connectionLost : sentences.slice(0, 1).map((one) => <Spoken key={one.text} sentence={one} />)}
      </p>
      {sentences.slice(1).map((one) => (
        <p key={one.text} class="quiet">
          <Spoken sentence={one} />
        </p>
      ))}
    </div>
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

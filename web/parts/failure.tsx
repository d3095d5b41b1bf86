// Failure: an error as words, with the way out. Knows no route.
import { useLayoutEffect } from 'preact/hooks'
import { ApiError, reach, UserFacingError } from '../api.ts'
import { lookAtCaller, useCaller } from '../caller.ts'
import { failureSentences, type Sentence } from '../sentences.ts'
import { t } from '../texts.ts'
import { Icon } from './icon.tsx'
import { Spoken } from './spoken.tsx'

export function Failure({ error }: { readonly error: unknown }) {
  const { isRefused } = useCaller()
  const { isAnswering } = reach.use()
  const status = error instanceof ApiError ? error.status : null
  // The key may have expired since it was first used.
  useLayoutEffect(() => void (status === 401 && lookAtCaller()), [status])
  // The page asks for a key above.
  if (status === 401 && isRefused) return null
  const [first, ...others] = status === 0 && isAnswering ? [own(t.answersAgain)] : sentencesOf(error)
  return (
    <div class="note bad failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <Spoken sentence={first} />
        </p>
        {others.map((one) => (
          <p key={one.text} class="quiet">
            <Spoken sentence={one} />
          </p>
        ))}
      </div>
    </div>
  )
}

function sentencesOf(error: unknown): readonly [Sentence, ...(readonly Sentence[])] {
  if (error instanceof UserFacingError) return [own(error.message)]
  if (error instanceof ApiError && error.status === 0) return [own(t.noResponse)]
  // The key has been changed since.
  if (error instanceof ApiError && error.status === 401) return [own(t.keyRefused)]
  // The service, and its code that checks files here, speak English; a proxy says nothing in a record.
  if (error instanceof ApiError && error.exception !== '') return failureSentences(error)
  return [own(`${t.error}: ${error instanceof Error ? error.message : String(error)}`)]
}

function own(text: string): Sentence {
  return { text, lang: undefined }
}

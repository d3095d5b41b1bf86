// Rejects tab: rejected records with place, reason and text, filtered by reason, loaded as far as they are wanted.
import { useEffect, useState } from 'preact/hooks'
import { getRejects, type Receipt, type Reject } from '../../api.ts'
import { count } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { RejectTable } from '../../parts/reject-table.tsx'
import { t } from '../../texts.ts'

const pageSize = 100

export function RejectsTab({ receipt: { id, rejects } }: { readonly receipt: Receipt }) {
  const [loaded, setLoaded] = useState<readonly Reject[]>([])
  const [wanted, setWanted] = useState(pageSize)
  const [reason, setReason] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const controller = new AbortController()
    if (loaded.length < Math.min(wanted, rejects.count)) {
      getRejects(id, loaded.length, pageSize, controller.signal).then(
        (page) => setLoaded([...loaded, ...page.rejects]),
        (failure: unknown) => controller.signal.aborted || setError(failure),
      )
    }
    return () => controller.abort()
  }, [id, wanted, loaded.length])

  if (rejects.count === 0) return <p>{t.noRejects}</p>
  if (error !== null) return <Failure error={error} />
  const shown = loaded.filter((reject) => reason === null || reject.reason === reason)
  return (
    <>
      <fieldset class="row">
        <legend class="hidden">{t.reason}</legend>
        <button type="button" class="small" aria-pressed={reason === null} onClick={() => setReason(null)}>
          {t.allReasons} {count(rejects.count)}
        </button>
        {Object.entries(rejects.reasons).map(([name, times]) => (
          <button key={name} type="button" class="small" aria-pressed={reason === name} onClick={() => setReason(name)}>
            {name} {count(times)}
          </button>
        ))}
      </fieldset>
      <RejectTable rejects={shown} />
      {loaded.length < rejects.count && (
        <button type="button" onClick={() => setWanted(loaded.length + pageSize)}>
          {t.more}
        </button>
      )}
    </>
  )
}

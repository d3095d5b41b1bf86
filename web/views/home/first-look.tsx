// First look: the first rows of an upload while it is still arriving, as text, on request.
import { useEffect, useState } from 'preact/hooks'
import { getUploadRows, type RowPage, type UploadStatus } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { count } from '../../format.ts'
import { PreviewTable } from '../../parts/preview-table.tsx'
import { t } from '../../texts.ts'

const rowsMax = 50
/** Interval between requests for rows. */
const lookMs = 1_000

export function FirstLook({ id, name, records }: { readonly name: string } & Pick<UploadStatus, 'id' | 'records'>) {
  const [isOpen, setOpen] = useState(false)
  const mayRead = useMay('read')
  if (!mayRead || records === null || records.accepted === 0) return null
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {t.firstLook} <span class="hidden">{name}</span>
      </summary>
      {isOpen && <Rows id={id} name={name} />}
    </details>
  )
}

/** Asks again until there are as many as are shown. */
function Rows({ id, name }: { readonly id: string; readonly name: string }) {
  const [page, setPage] = useState<RowPage | null>(null)
  const shown = page?.rows.length ?? 0
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (shown >= rowsMax) return
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    getUploadRows(id, rowsMax, signal).then(
      (found) => {
        setPage(found)
        timer = setTimeout(() => setTurn(turn + 1), lookMs)
      },
      // It has failed, or its rows may not be read: what was seen stays.
      () => {},
    )
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [id, turn])
  if (page === null || shown === 0) return <p class="quiet">{t.loading}</p>
  const columns = page.columns.map(({ name: column, type }) => ({ name: column, type: type ?? '' }))
  return (
    <>
      <PreviewTable label={`${t.firstLook}: ${name}`} columns={columns} rows={page.rows} />
      <p class="quiet">{t.provisionalRows(count(shown))}</p>
    </>
  )
}

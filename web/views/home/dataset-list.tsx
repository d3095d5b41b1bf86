// Dataset list: the stored datasets, newest first, with search, and deletion that can be undone for some seconds.
import { useLayoutEffect, useState } from 'preact/hooks'
import { type ListedReceipt, listDatasets } from '../../api.ts'
import { lookAtCaller, useCaller, useMay, useMayLook } from '../../caller.ts'
import { bytes, count, moment } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Table } from '../../parts/table.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { useDeletion } from './use-deletion.ts'

interface DatasetListProps {
  /** Uploads of this visit that are done: each changes the list. */
  readonly done: number
  /** How often the file of a dataset was sent in this visit. */
  readonly timesSent: (id: string) => number
}

export function DatasetList({ done, timesSent }: DatasetListProps) {
  const [name, setName] = useState('')
  const [pages, setPages] = useState<readonly ListedReceipt[] | null>(null)
  const [after, setAfter] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const { isRefused } = useCaller()
  const mayRead = useMay('read')
  const mayLook = useMayLook()

  const load = (cursor: string | null, before: readonly ListedReceipt[], signal: AbortSignal) =>
    listDatasets(name, cursor, signal).then(
      (page) => {
        setPages([...before, ...page.datasets])
        setAfter(page.after)
        setError(null)
      },
      (failure: unknown) => signal.aborted || setError(failure),
    )
  useLayoutEffect(() => {
    if (!mayLook) return
    const controller = new AbortController()
    void load(null, [], controller.signal)
    return () => controller.abort()
  }, [name, done, mayLook])

  if (isRefused) return null
  if (!mayRead) return <p>{t.mayNotRead}</p>
  return (
    <section>
      <div class="row between">
        <h2>{t.datasets}</h2>
        <input
          type="search"
          placeholder={t.search}
          aria-label={t.search}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </div>
      {error !== null && (
        <>
          <Failure error={error} />
          <button type="button" onClick={() => void load(null, [], new AbortController().signal)}>
            {t.retry}
          </button>
        </>
      )}
      {pages === null && error === null && <p class="quiet">{t.loading}</p>}
      {pages?.length === 0 && <p>{name === '' ? t.noDatasets : t.nothingFound}</p>}
      {pages !== null && pages.length > 0 && (
        <DatasetTable
          datasets={pages}
          timesSent={timesSent}
          onDeleted={(id) => setPages((last) => last?.filter((one) => one.id !== id) ?? null)}
        />
      )}
      {after !== null && (
        <button type="button" onClick={() => void load(after, pages ?? [], new AbortController().signal)}>
          {t.more}
        </button>
      )}
    </section>
  )
}

interface DatasetTableProps extends Pick<DatasetListProps, 'timesSent'> {
  readonly datasets: readonly ListedReceipt[]
  readonly onDeleted: (id: string) => void
}

function DatasetTable({ datasets, timesSent, onDeleted }: DatasetTableProps) {
  const mayDelete = useMay('delete')
  const { leaving, failed, isGone, remove, undo } = useDeletion((id) => {
    onDeleted(id)
    void lookAtCaller()
  }, timesSent)
  return (
    <>
      <div class="scroll">
        <Table
          class="datasets"
          rows={datasets.filter(({ id }) => !isGone(id))}
          keyOf={({ id }) => id}
          columns={[
            { head: t.file, cell: nameLink },
            { head: t.created, cell: ({ createdAt }) => moment(createdAt) },
            { head: t.accepted, cell: ({ records }) => count(records.accepted), isNumber: true, name: t.accepted },
            { head: t.rejected, cell: ({ records }) => count(records.rejected), isNumber: true, name: t.rejected },
            { head: t.size, cell: ({ file }) => bytes(file.bytes), isNumber: true, name: t.size },
            {
              head: <span class="hidden">{t.deleteDataset}</span>,
              cell: (dataset) => mayDelete && <DeleteButton dataset={dataset} onRemove={() => remove(dataset)} />,
              class: 'number',
            },
          ]}
        />
      </div>
      {failed !== null && (
        <>
          <p>{t.notRemoved(failed.dataset.file.name || failed.dataset.id)}</p>
          <Failure error={failed.error} />
        </>
      )}
      {leaving !== null && (
        <p class="toast" role="status">
          {t.removed(leaving.file.name || leaving.id)}{' '}
          <button key={leaving.id} type="button" class="small" ref={focusIfLost} onClick={undo}>
            {t.undo}
          </button>
        </p>
      )}
    </>
  )
}

/** The pressed button has disappeared with its row. */
function focusIfLost(button: HTMLButtonElement | null): void {
  if (document.activeElement === document.body) button?.focus({ preventScroll: true })
}

function nameLink({ id, file }: ListedReceipt) {
  return (
    <a class="name" href={datasetHref(id)}>
      {file.name || id}
    </a>
  )
}

function DeleteButton({ dataset, onRemove }: { readonly dataset: ListedReceipt; readonly onRemove: () => void }) {
  return (
    <button type="button" class="small" aria-label={`${t.deleteDataset}: ${dataset.file.name}`} onClick={onRemove}>
      {t.delete}
    </button>
  )
}

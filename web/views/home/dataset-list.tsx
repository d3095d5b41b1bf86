// Dataset list: the stored datasets, newest first, with search, and deletion that can be undone for some seconds.
import { useState } from 'preact/hooks'
import { type ListedReceipt, listDatasets } from '../../api.ts'
import { lookAtCaller, useCaller, useMay, useMayLook } from '../../caller.ts'
import { bytes, count, moment, shownName } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Table } from '../../parts/table.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { usePages } from '../../use-loaded.ts'
import { useDeletion } from './use-deletion.ts'

interface DatasetListProps {
  /** Uploads of this visit that are done: each changes the list. */
  readonly done: number
  /** How often the file of a dataset was sent in this visit. */
  readonly timesSent: (id: string) => number
}

export function DatasetList({ done, timesSent }: DatasetListProps) {
  const [name, setName] = useState('')
  const { isRefused } = useCaller()
  const mayRead = useMay('read')
  const load = async (cursor: string | null, signal: AbortSignal) => {
    const { datasets, after } = await listDatasets(name, cursor, signal)
    return { items: datasets, next: after }
  }
  const mayLook = useMayLook()
  const { items, hasMore, error, more, keep } = usePages(mayLook ? load : null, [name, done, mayLook])
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
          <button type="button" onClick={more}>
            {t.retry}
          </button>
        </>
      )}
      {items === null && error === null && <p class="quiet">{t.loading}</p>}
      {items?.length === 0 && <p>{name === '' ? t.noDatasets : t.nothingFound}</p>}
      {items !== null && items.length > 0 && (
        <DatasetTable datasets={items} timesSent={timesSent} onDeleted={({ id }) => keep((one) => one.id !== id)} />
      )}
      {hasMore && error === null && (
        <button type="button" onClick={more}>
          {t.more}
        </button>
      )}
    </section>
  )
}

interface DatasetTableProps extends Pick<DatasetListProps, 'timesSent'> {
  readonly datasets: readonly ListedReceipt[]
  readonly onDeleted: (dataset: ListedReceipt) => void
}

function DatasetTable({ datasets, timesSent, onDeleted }: DatasetTableProps) {
  const mayDelete = useMay('delete')
  const { leaving, failed, isGone, remove, undo } = useDeletion((dataset) => {
    onDeleted(dataset)
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
            {
              head: t.file,
              cell: ({ id, file }) => (
                <a class="name" href={datasetHref(id)}>
                  {shownName(file.name) || id}
                </a>
              ),
            },
            { head: t.created, cell: ({ createdAt }) => moment(createdAt) },
            { head: t.accepted, cell: ({ records }) => count(records.accepted), isNumber: true, name: t.accepted },
            { head: t.rejected, cell: ({ records }) => count(records.rejected), isNumber: true, name: t.rejected },
            { head: t.size, cell: ({ file }) => bytes(file.bytes), isNumber: true, name: t.size },
            {
              head: <span class="hidden">{t.deleteDataset}</span>,
              cell: (dataset) =>
                mayDelete && (
                  <button
                    type="button"
                    class="small"
                    aria-label={`${t.deleteDataset}: ${dataset.file.name}`}
                    onClick={() => remove(dataset)}
                  >
                    {t.delete}
                  </button>
                ),
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
          {t.removed(shownName(leaving.file.name) || leaving.id)}{' '}
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

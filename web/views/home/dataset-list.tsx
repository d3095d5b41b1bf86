// Dataset list: the stored datasets, newest first, with search, and deletion that can be undone for some seconds.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ApiError, deleteDataset, type ListedReceipt, listDatasets } from '../../api.ts'
import { lookAtCaller, useCaller, useMay, useMayLook } from '../../caller.ts'
import { bytes, count, moment, shownName } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Table } from '../../parts/table.tsx'
import { datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { usePages } from '../../use-loaded.ts'

const undoMs = 6_000

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
          <p>{t.notRemoved(shownName(failed.dataset.file.name) || failed.dataset.id)}</p>
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

/**
 * Deletes datasets some seconds after the user asked for it, unless that is undone.
 *
 * @param timesSent How often the file of a dataset was sent in this visit: one that is sent again is wanted.
 */
function useDeletion(onDeleted: (dataset: ListedReceipt) => void, timesSent: (id: string) => number) {
  const [leaving, setLeaving] = useState<ListedReceipt | null>(null)
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [failed, setFailed] = useState<{ readonly dataset: ListedReceipt; readonly error: unknown } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sentBefore = useRef(0)
  const comeBack = ({ id }: ListedReceipt) => setGone((last) => new Set([...last].filter((one) => one !== id)))
  const finish = async (dataset: ListedReceipt) => {
    setLeaving((last) => (last === dataset ? null : last))
    try {
      await deleteDataset(dataset.id)
    } catch (error) {
      // Someone else was faster.
      if (!(error instanceof ApiError && error.status === 404)) {
        setFailed({ dataset, error })
        comeBack(dataset)
        return
      }
    }
    onDeleted(dataset)
    // The same bytes sent again would be the same dataset.
    comeBack(dataset)
  }
  const undo = () => {
    clearTimeout(timer.current)
    if (leaving !== null) comeBack(leaving)
    setLeaving(null)
  }
  const sent = leaving === null ? 0 : timesSent(leaving.id)
  useLayoutEffect(() => {
    if (leaving !== null && sent > sentBefore.current) undo()
  }, [sent])
  return {
    /** The one whose deletion can still be undone. */
    leaving,
    /** The last one that could not be deleted, and why. */
    failed,
    /** True for one that is being deleted, from the first moment on. */
    isGone: (id: string) => gone.has(id),
    remove(dataset: ListedReceipt) {
      clearTimeout(timer.current)
      if (leaving !== null) void finish(leaving)
      sentBefore.current = timesSent(dataset.id)
      setLeaving(dataset)
      setGone((last) => new Set(last).add(dataset.id))
      setFailed(null)
      timer.current = setTimeout(() => void finish(dataset), undoMs)
    },
    undo,
  }
}

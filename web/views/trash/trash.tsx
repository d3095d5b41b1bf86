// Trash: the datasets that were deleted on this page, with the time until they are erased, and the way back.
import { useLayoutEffect, useState } from 'preact/hooks'
import { type ListedDataset, listTrash } from '../../api.ts'
import { lookAtCaller, useCaller, useMay, useMayLook } from '../../caller.ts'
import { ago, bytes, count, moment, remaining, shownName } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { SelectBox } from '../../parts/select-box.tsx'
import { type ListColumn, type Sort, VirtualList } from '../../parts/virtual-list.tsx'
import { t } from '../../texts.ts'
import { eraseDatasets, restoreDatasets } from '../../trash.ts'
import { useLive } from '../../upload/live.ts'
import { pageQuery, useList } from '../../use-list.ts'

const usualSort: Sort = { by: 'trashedAt', isDescending: true }

export function Trash() {
  const [sort, setSort] = useState(usualSort)
  const [selected, setSelected] = useState<ReadonlyMap<string, ListedDataset>>(new Map())
  const { changes } = useLive()
  const { caller } = useCaller()
  // Those deleted last are first, unless something else is asked for.
  const asked = sort.by === usualSort.by ? {} : { sort: sort.by, order: sort.isDescending ? 'desc' : 'asc' }
  const key = useMayLook() ? `trash ${JSON.stringify(asked)}` : null
  const { entries, total, error, reach, retry, drop } = useList<ListedDataset>(key, changes, (page, signal) =>
    listTrash({ ...asked, ...pageQuery(page) }, signal),
  )
  useLayoutEffect(() => void lookAtCaller(), [changes])
  const days = Math.round((caller?.trash?.keepMs ?? 0) / 86_400_000)
  return (
    <div class="page">
      <div>
        <h1>{t.trash}</h1>
        <p class="quiet">
          {t.trashKept(count(days))} {caller?.trash && t.trashCounts(bytes(caller.trash.bytes))}
        </p>
      </div>
      {selected.size > 0 && (
        <TrashBar
          selected={[...selected.values()]}
          onGone={(ids) => {
            drop(ids)
            setSelected(new Map())
          }}
          onClear={() => setSelected(new Map())}
        />
      )}
      {error !== null && (
        <div class="row">
          <Failure error={error} />
          <button type="button" class="btn" onClick={retry}>
            {t.retry}
          </button>
        </div>
      )}
      {entries?.length === 0 && <p class="empty">{t.trashEmpty}</p>}
      {entries !== null && entries.length > 0 && (
        <div class="frame">
          <VirtualList
            label={t.trash}
            columns={columns}
            rows={entries}
            rowCount={total}
            keyOf={({ id }) => id}
            classOf={({ id }) => (selected.has(id) ? 'picked' : undefined)}
            sort={sort}
            onSort={(chosen) => setSort(chosen.by === usualSort.by ? usualSort : chosen)}
            onReach={reach}
            box={(entry) => <SelectBox entry={entry} entries={entries} selected={selected} onSelect={setSelected} />}
          />
        </div>
      )}
    </div>
  )
}

const columns: readonly ListColumn<ListedDataset>[] = [
  {
    key: 'name',
    head: t.name,
    isSortable: true,
    class: 'name-cell',
    cell: ({ id, file, trashedAt = 0 }) => (
      <>
        <span class="one-line name strong" title={shownName(file.name)}>
          {shownName(file.name) || id}
        </span>
        <span class="sub">{ago(trashedAt)}</span>
      </>
    ),
  },
  {
    key: 'rows',
    head: t.rows,
    isSortable: true,
    class: 'num phone-hide',
    cell: ({ records }) => count(records.accepted),
  },
  { key: 'bytes', head: t.size, isSortable: true, class: 'num mid quiet', cell: ({ file }) => bytes(file.bytes) },
  {
    key: 'trashedAt',
    head: t.deleted,
    isSortable: true,
    class: 'mid quiet',
    cell: ({ trashedAt = 0 }) => <time title={moment(trashedAt)}>{ago(trashedAt)}</time>,
  },
  {
    key: 'erasesAt',
    head: t.erasedIn,
    class: 'num',
    cell: ({ erasesAt = 0 }) => <time title={moment(erasesAt)}>{remaining(erasesAt)}</time>,
  },
]

interface TrashBarProps {
  readonly selected: readonly ListedDataset[]
  onGone(ids: ReadonlySet<string>): void
  onClear(): void
}

function TrashBar({ selected, onGone, onClear }: TrashBarProps) {
  const [isAsking, ask] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const mayRestore = useMay('delete')
  const change = async (action: typeof restoreDatasets) => {
    const { gone, failure } = await action(selected)
    setError(failure)
    if (failure === null) onGone(gone)
  }
  return (
    <>
      <section class="toolbar" aria-label={t.selection}>
        <b class="strong">{t.selectedCount(count(selected.length))}</b>
        <span class="quiet small">{bytes(selected.reduce((sum, { file }) => sum + file.bytes, 0))}</span>
        <span class="grow" />
        {mayRestore && (
          <button type="button" class="btn primary" onClick={() => void change(restoreDatasets)}>
            {t.putBack}
          </button>
        )}
        {mayRestore && (
          <button type="button" class="btn danger" onClick={() => ask(true)}>
            {t.eraseNow}
          </button>
        )}
        <button type="button" class="btn ghost" onClick={onClear}>
          {t.clear}
        </button>
      </section>
      {isAsking && (
        <dialog
          class="dialog"
          aria-label={t.eraseNow}
          ref={(dialog) => {
            if (dialog?.open === false) dialog.showModal()
          }}
          onClose={() => ask(false)}
        >
          <p>{t.eraseAsk(count(selected.length))}</p>
          <span class="row">
            <button type="button" class="btn danger" onClick={() => void change(eraseDatasets)}>
              {t.eraseNow}
            </button>
            <button type="button" class="btn" onClick={() => ask(false)}>
              {t.keep}
            </button>
          </span>
        </dialog>
      )}
      {error !== null && <Failure error={error} />}
    </>
  )
}

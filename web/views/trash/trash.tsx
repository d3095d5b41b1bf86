// Trash: the datasets that were deleted on this page, with the time until they are erased, and the way back.
import { useLayoutEffect, useState } from 'preact/hooks'
import { eraseTrashed, type ListQuery, restoreDataset, trash } from '../../api.ts'
import { lookAtCaller, useCaller, useMay } from '../../caller.ts'
import { bytes, count, moment, remaining, shownName } from '../../format.ts'
import { Ago } from '../../parts/ago.tsx'
import { column, type ListAction, SelectableList, type Sort } from '../../parts/selectable-list.tsx'
import { t } from '../../texts.ts'
import { changeEach } from '../../trash.ts'
import { useLive } from '../../upload/live.ts'
import { useList } from '../../use-list.ts'

const usualSort: Sort = { by: 'trashedAt', isDescending: true }

export function Trash() {
  const [sort, setSort] = useState(usualSort)
  const { changes } = useLive()
  const { caller } = useCaller()
  const mayChange = useMay('delete')
  // Those deleted last are first, unless something else is asked for.
  const asked: ListQuery = sort.by === usualSort.by ? {} : { sort: sort.by, order: sort.isDescending ? 'desc' : 'asc' }
  const list = useList(trash, asked)
  useLayoutEffect(() => void lookAtCaller(), [changes])
  const days = Math.round((caller?.trash.keepMs ?? 0) / 86_400_000)
  const actions: readonly ListAction[] = [
    { label: t.putBack, look: 'primary', run: (chosen) => changeEach(chosen, ({ id }) => restoreDataset(id)) },
    {
      label: t.eraseNow,
      look: 'danger',
      question: t.eraseAsk,
      run: (chosen) => changeEach(chosen, ({ id }) => eraseTrashed(id)),
    },
  ]
  return (
    <div class="page">
      <div>
        <h1>{t.trash}</h1>
        <p class="quiet">
          {t.trashKept(count(days))} {caller && t.trashCounts(bytes(caller.trash.bytes))}
        </p>
      </div>
      <SelectableList
        label={t.trash}
        columns={columns}
        list={list}
        sort={sort}
        onSort={(chosen) => setSort(chosen.by === usualSort.by ? usualSort : chosen)}
        actions={mayChange ? actions : []}
        tools={null}
        empty={t.trashEmpty}
      />
    </div>
  )
}

const columns = [
  column('name', t.name, 'name-cell', ({ id, file, trashedAt = 0 }) => (
    <>
      <span class="one-line name strong" title={shownName(file.name)}>
        {shownName(file.name) || id}
      </span>
      <span class="sub">
        <Ago at={trashedAt} />
      </span>
    </>
  )),
  column('rows', t.rows, 'num phone-hide', ({ records }) => count(records.accepted)),
  column('bytes', t.size, 'num mid quiet', ({ file }) => bytes(file.bytes)),
  column('trashedAt', t.deleted, 'mid quiet', ({ trashedAt = 0 }) => <Ago at={trashedAt} />),
  column(null, t.erasedIn, 'num', ({ erasesAt = 0 }) => <time title={moment(erasesAt)}>{remaining(erasesAt)}</time>),
]

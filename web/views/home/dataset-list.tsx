// Dataset list: one entry a file, with its versions below it when asked for; searched, filtered and sorted by the
// address, live, and with what can be done with those that are selected.
import { useLayoutEffect, useState } from 'preact/hooks'
import {
  datasetAddress,
  datasets,
  dismissDataset,
  download,
  type ListedDataset,
  listDatasets,
  undismissDataset,
} from '../../api.ts'
import { useCaller, useMay, useMayLook } from '../../caller.ts'
import { bytes, count, shownName } from '../../format.ts'
import { Ago } from '../../parts/ago.tsx'
import { SearchField } from '../../parts/controls.tsx'
import { ticksOf } from '../../parts/reject-ticks.ts'
import { column, type ListAction, type ListColumn, type ListRow, SelectableList } from '../../parts/selectable-list.tsx'
import { Strip } from '../../parts/strip.tsx'
import { versionName } from '../../parts/version-name.ts'
import { changeTo, datasetHref } from '../../router.ts'
import { t } from '../../texts.ts'
import { changeEach, type Outcome, trashDatasets } from '../../trash.ts'
import { useLive } from '../../upload/live.ts'
import { useList } from '../../use-list.ts'
import { useLoaded } from '../../use-loaded.ts'
import { type Filter, filterQuery, filters, type ListView, listHref, listQuery, parseListView } from './list-view.ts'

/** @param props.query How the list is searched, filtered and sorted. */
export function DatasetList({ query }: { readonly query: string }) {
  const view = parseListView(query)
  const { changes } = useLive()
  const { caller } = useCaller()
  const mayDelete = useMay('delete')
  const list = useList(datasets, listQuery(view))
  const versions = useVersions(changes)
  useScrollPosition(query, list.entries !== null)
  if (!useMayLook()) return null
  const mayDismiss = useMay('upload')
  const actions: readonly (ListAction | false)[] = [
    { label: t.download, run: saveAll },
    mayDismiss && { label: t.dismiss, isFor: isOpen, run: staying(({ id }) => dismissDataset(id)) },
    mayDismiss && { label: t.takeDismissalBack, isFor: isDismissed, run: staying(({ id }) => undismissDataset(id)) },
    mayDelete && { label: t.delete, look: 'danger', run: trashDatasets },
  ]
  return (
    <SelectableList
      label={t.datasets}
      columns={columnsOf(caller?.name ?? null, versions)}
      list={list}
      versionsOf={versions.of}
      sort={view.sort}
      onSort={(sort) => changeTo(listHref({ ...view, sort }))}
      actions={actions.filter((action) => action !== false)}
      tools={<ListTools view={view} total={list.entries === null ? null : list.total} changes={changes} />}
      empty={query === '' ? t.noDatasets : t.nothingFound}
    />
  )
}

const saveAll = staying(({ id, file }) =>
  download(datasetAddress(id, '/data.csv'), `${file.name.replace(/\.[^.]*$/, '') || id}.csv`),
)
/** Rejects that were looked at need no other look. */
const isDismissed = ({ rejects }: ListedDataset) => rejects?.dismissed === true
const isOpen = (one: ListedDataset) => one.records.rejected > 0 && !isDismissed(one)

/** Nothing is gone by it. */
function staying(change: (dataset: ListedDataset) => Promise<unknown>) {
  return async (datasets: readonly ListedDataset[]): Promise<Outcome> => {
    const { failure } = await changeEach(datasets, change)
    return { gone: new Set(), failure }
  }
}

interface ListToolsProps {
  readonly view: ListView
  /** Null while unknown. */
  readonly total: number | null
  readonly changes: number
}

function ListTools({ view, total, changes }: ListToolsProps) {
  const { caller } = useCaller()
  const change = (changed: Partial<ListView>) => changeTo(listHref({ ...view, ...changed }))
  const toggle = (filter: Filter) =>
    change({ filters: filters.filter((one) => view.filters.includes(one) !== (one === filter)) })
  return (
    <div class="toolbar">
      <h2>{total === null ? t.datasets : t.datasetCount(count(total))}</h2>
      {filters
        .filter((filter) => filter !== 'mine' || caller?.name)
        .map((filter) => (
          <FilterChip
            key={filter}
            filter={filter}
            changes={changes}
            isOn={view.filters.includes(filter)}
            onPress={() => toggle(filter)}
          />
        ))}
      <span class="grow" />
      <SearchField label={t.searchList} look="search" value={view.search} onInput={(search) => change({ search })} />
    </div>
  )
}

interface FilterChipProps {
  readonly filter: Filter
  readonly changes: number
  readonly isOn: boolean
  onPress(): void
}

function FilterChip({ filter, changes, isOn, onPress }: FilterChipProps) {
  const asked = { ...filterQuery(filter), versions: 'latest', limit: '1' }
  const { value: found } = useLoaded((signal) => listDatasets(asked, signal), [filter, changes])
  return (
    <button type="button" class="chip" aria-pressed={isOn} onClick={onPress}>
      {t.filterNames[filter]}{' '}
      <span class={filter === 'open' && found?.total ? 'count warn' : 'count'}>
        {found === null ? '…' : count(found.total)}
      </span>
    </button>
  )
}

type Versions = ReturnType<typeof useVersions>

/** The versions of files that are unfolded. */
function useVersions(changes: number) {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, readonly ListedDataset[]>>(new Map())
  const load = async (origin: string) => {
    const versions = await listDatasets({ origin, limit: '1000' }, new AbortController().signal)
    setLoaded((last) => new Map(last).set(origin, versions.datasets))
  }
  useLayoutEffect(() => {
    for (const origin of loaded.keys()) void load(origin).catch(() => {})
  }, [changes])
  return {
    of: ({ origin }: ListedDataset): readonly ListRow[] =>
      (loaded.get(origin?.id ?? '') ?? []).map((one) => ({ ...one, isVersion: true })),
    isOpen: ({ origin }: ListedDataset) => loaded.has(origin?.id ?? ''),
    toggle({ origin }: ListedDataset) {
      if (origin === undefined) return
      if (!loaded.has(origin.id)) return void load(origin.id).catch(() => {})
      setLoaded(new Map([...loaded].filter(([id]) => id !== origin.id)))
    },
  }
}

/** @param caller Name of the key of this tab; null for a service without keys. */
function columnsOf(caller: string | null, versions: Versions): readonly ListColumn[] {
  const senders = column(null, t.from, 'mid quiet', ({ sender }) => (sender === caller ? t.you : sender))
  return [
    column('name', t.name, 'name-cell', (entry) =>
      entry.isVersion ? <Version entry={entry} /> : <File entry={entry} versions={versions} />,
    ),
    column(null, t.firstToLast, 'mid', (entry) => <MiniStrip entry={entry} />),
    column('rows', t.rows, 'num phone-hide', ({ records }) => count(records.accepted)),
    column('rejects', t.rejected, 'num', (entry) => <Rejected entry={entry} />),
    column(null, t.columns, 'wide', (entry) => <div class="fields">{columnLine(entry.columns)}</div>),
    ...(caller === null ? [] : [senders]),
    column('bytes', t.size, 'num mid quiet', ({ file }) => bytes(file.bytes)),
    column('createdAt', t.when, 'num quiet phone-hide', ({ createdAt }) => <Ago at={createdAt} />),
  ]
}

function Rejected({ entry: { id, records } }: { readonly entry: ListRow }) {
  const { accepted, rejected } = records
  if (rejected === 0) return <span class="quiet">0</span>
  return (
    <a href={datasetHref(id, 'fix')} class={`hit num strong ${accepted === 0 ? 'bad' : 'warn'}`}>
      {count(rejected)}
    </a>
  )
}

const namedColumns = 5

/** Their number first: the line is cut at its end. */
function columnLine(columns: ListedDataset['columns']): string {
  const names = columns.slice(0, namedColumns).map(({ name }) => name)
  return `${count(columns.length)}: ${names.join(', ')}${columns.length > namedColumns ? ', …' : ''}`
}

function File({ entry, versions }: { readonly entry: ListRow; readonly versions: Versions }) {
  const { id, file, createdAt, records, origin } = entry
  return (
    <>
      <span class="one-line">
        <a class="file name" href={datasetHref(id)} title={shownName(file.name)}>
          {shownName(file.name) || id}
        </a>{' '}
        {createdAt > performance.timeOrigin && <span class="badge new">{t.new}</span>}{' '}
        {records.accepted === 0 && records.rejected > 0 && <span class="badge bad">{t.nothingAccepted}</span>}{' '}
        {origin !== undefined && origin.versions > 1 && (
          <button
            type="button"
            class="link small"
            aria-expanded={versions.isOpen(entry)}
            onClick={() => versions.toggle(entry)}
          >
            {t.versionCount(count(origin.versions))}
          </button>
        )}
      </span>
      <span class="sub">
        <Ago at={createdAt} /> · {t.rowTerm(count(records.accepted))}
      </span>
    </>
  )
}

function Version({ entry }: { readonly entry: ListRow }) {
  const [name, more] = versionName(entry)
  return (
    <div class="tree">
      <a href={datasetHref(entry.id)}>{name}</a> <span class="quiet small">{more}</span>
      <span class="sub">{t.rowTerm(count(entry.records.accepted))}</span>
    </div>
  )
}

function MiniStrip({ entry: { file, records, rejects } }: { readonly entry: ListRow }) {
  const isBad = records.accepted === 0
  return (
    <Strip
      isMini
      label={records.rejected === 0 ? t.allAccepted : t.rejectedTerm(count(records.rejected))}
      read={isBad && records.rejected > 0 ? 0 : 1}
      header={records.header > 0 ? 0.02 : 0}
      ticks={ticksOf(file, rejects?.positions, isBad ? 'bad' : 'tick')}
    />
  )
}

const scrolls = new Map<string, number>()

/** The way back to a list leads to where it was left. */
function useScrollPosition(query: string, isThere: boolean): void {
  useLayoutEffect(() => {
    const main = document.querySelector('main')
    if (main === null || !isThere) return
    main.scrollTop = scrolls.get(query) ?? 0
    const onScroll = () => void scrolls.set(query, main.scrollTop)
    main.addEventListener('scroll', onScroll)
    return () => main.removeEventListener('scroll', onScroll)
  }, [query, isThere])
}

// List view: how the list of datasets is searched, filtered and sorted, as the address has it and as the service is
// asked. Knows no element.
import type { Sort } from '../../parts/selectable-list.tsx'

export const filters = ['open', 'today', 'mine'] as const
export type Filter = (typeof filters)[number]

export interface ListView {
  readonly search: string
  readonly filters: readonly Filter[]
  readonly sort: Sort
}

export const sortable = ['name', 'rows', 'rejects', 'bytes', 'createdAt'] as const
const usualSort: Sort = { by: 'createdAt', isDescending: true }

/** What the address says; the rest of it is ignored. */
export function parseListView(query: string): ListView {
  const known = new URLSearchParams(query)
  const shown = known.get('show')?.split(' ') ?? []
  const sort = known.get('sort') ?? ''
  const by = sortable.find((one) => one === sort.replace('-', ''))
  return {
    search: known.get('search') ?? '',
    filters: filters.filter((one) => shown.includes(one)),
    sort: by === undefined ? usualSort : { by, isDescending: sort.startsWith('-') },
  }
}

/** Only what differs from the list as it is at first. */
export function listHref({ search, filters: shown, sort }: ListView): string {
  const query = new URLSearchParams()
  if (search !== '') query.set('search', search)
  if (shown.length > 0) query.set('show', shown.join(' '))
  if (sort.by !== usualSort.by || !sort.isDescending) query.set('sort', `${sort.isDescending ? '-' : ''}${sort.by}`)
  return `#/${query.size > 0 ? '?' : ''}${query}`
}

/** The parameters of a filter. */
export function filterQuery(filter: Filter, now = new Date()): Readonly<Record<string, string>> {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  return { open: { rejects: 'open' }, today: { since: String(today) }, mine: { mine: 'true' } }[filter]
}

/** One entry a file. */
export function listQuery({ search, filters: shown, sort }: ListView): Readonly<Record<string, string>> {
  return {
    versions: 'latest',
    sort: sort.by,
    order: sort.isDescending ? 'desc' : 'asc',
    ...(search !== '' && { search }),
    ...Object.assign({}, ...shown.map((one) => filterQuery(one))),
  }
}

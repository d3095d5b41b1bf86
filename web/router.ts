// Router: the address behind the `#` as a view, so that every view has a permalink. Knows no view's content.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'

export const tabs = ['rows', 'fix', 'sql', 'receipt', 'read'] as const
export type Tab = (typeof tabs)[number]

export type Route =
  /** `query` is what the list is searched, filtered and sorted by. */
  | { readonly view: 'home'; readonly query: string }
  | { readonly view: 'trash' }
  | { readonly view: 'dataset'; readonly id: string; readonly tab: Tab; readonly query: string }
  | { readonly view: 'unknown' }

export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#\/?/, '')
  if (path === '' || path.startsWith('?')) return { view: 'home', query: path.slice(1) }
  if (path === 'trash') return { view: 'trash' }
  const [, id, name = 'rows', query = ''] = /^datasets\/([0-9a-f]{32})(?:\/(\w+))?(?:\?(.*))?$/.exec(path) ?? []
  const tab = tabs.find((one) => one === name)
  return id === undefined || tab === undefined
    ? { view: 'unknown' }
    : { view: 'dataset', id, tab, query: decoded(query) }
}

/** What a tab keeps in its address; empty if it was cut. */
function decoded(query: string): string {
  try {
    return decodeURIComponent(query)
  } catch {
    return ''
  }
}

export function datasetHref(id: string, tab: Tab = 'rows'): string {
  return `#/datasets/${id}${tab === 'rows' ? '' : `/${tab}`}`
}

/** Moves to an address and shows it before the next key or press: the browser's own event comes only after that. */
export function goTo(href: string): void {
  location.hash = href
  dispatchEvent(new Event('hashchange'))
}

/** The same in place of the address that is shown, so that the way back leads to the one before. */
export function changeTo(href: string): void {
  location.replace(href)
  dispatchEvent(new Event('hashchange'))
}

/** The view of the address; a change of it renders again, and the browser's event after ours does not. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useLayoutEffect(() => {
    const onChange = () => setHash(location.hash)
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return useMemo(() => parseRoute(hash), [hash])
}

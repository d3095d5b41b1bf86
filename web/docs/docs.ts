// Docs: what a docs page does for its reader: search, examples with this server's address, collapsed contents. All of
// its content is already in the page, so without scripts only the search is missing.
import { type SearchRow, searchRows } from './docs-search.ts'

/** The URL in the examples, which is replaced. */
const exampleOrigin = 'http://127.0.0.1:8080'
const narrow = matchMedia('(max-width: 60rem)')

for (const code of document.querySelectorAll('pre code')) {
  code.textContent = code.textContent.replaceAll(exampleOrigin, location.origin)
}

const contents = document.querySelector<HTMLDetailsElement>('details.contents')
const fold = () => contents?.toggleAttribute('open', !narrow.matches)
fold()
narrow.addEventListener('change', fold)
// On a phone, a user who has chosen a page wants to read it.
contents?.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement && narrow.matches) contents.removeAttribute('open')
})

const sections = [...document.querySelectorAll<HTMLElement>('main section')]
const texts = sections.map((section) => section.textContent.toLowerCase())
const form = document.querySelector<HTMLFormElement>('form.search')
const status = document.querySelector('.search-status')

function search(query: string): void {
  if (sections.length === 0) return
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = sections.map((_, index) => words.every((word) => texts[index]?.includes(word)))
  for (const [index, section] of sections.entries()) {
    section.hidden = !found[index]
    const item = document.querySelector(`a[href="#${CSS.escape(section.dataset.id ?? '')}"]`)?.closest('li')
    if (item) item.hidden = !found[index]
  }
  const count = found.filter(Boolean).length
  if (status) status.textContent = words.length === 0 ? '' : `${count} of ${sections.length} sections`
}

const results = document.querySelector<HTMLOListElement>('.results')
let rows: Promise<readonly SearchRow[]> | undefined

/** Fetched for the first search; without it, the page itself can still be searched. */
function loadRows(): Promise<readonly SearchRow[]> {
  rows ??= fetch('/docs/search.json').then((response) => response.json())
  return rows
}

async function searchAll(query: string, isLatest: () => boolean): Promise<void> {
  const all = await loadRows().catch(() => [])
  if (results === null || !isLatest()) return
  // The page of the routes searches its own content.
  const hits = searchRows(sections.length > 0 ? all.filter(([address]) => !address.startsWith('/docs#')) : all, query)
  results.hidden = hits.length === 0
  results.replaceChildren(
    ...hits.map(({ address, page, heading, excerpt }) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = address
      link.textContent = heading === page ? page : `${page}: ${heading}`
      const text = document.createElement('p')
      text.className = 'quiet'
      text.textContent = excerpt
      item.append(link, text)
      return item
    }),
  )
  if (status !== null && sections.length === 0) {
    status.textContent = query.trim() === '' ? '' : hits.length === 0 ? 'Nothing found' : `${hits.length} found`
  }
}

if (form !== null) {
  form.hidden = false
  const input = form.querySelector('input')
  input?.addEventListener('focus', () => void loadRows().catch(() => {}))
  input?.addEventListener('input', () => {
    const query = input.value
    search(query)
    void searchAll(query, () => input.value === query)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const shown = sections.find((section) => !section.hidden)
    if (shown === undefined) results?.querySelector('a')?.click()
    else shown.scrollIntoView()
  })
  // A link leads to its target even if the search has hidden it.
  addEventListener('hashchange', () => {
    const wanted = document.getElementById(location.hash.slice(1))
    if (wanted?.closest<HTMLElement>('section')?.hidden !== true) return
    if (input) input.value = ''
    search('')
    wanted.scrollIntoView()
  })
}

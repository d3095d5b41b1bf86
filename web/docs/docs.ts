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

const form = document.querySelector<HTMLFormElement>('form.search')
const status = document.querySelector('.search-status')

const results = document.querySelector<HTMLOListElement>('.results')
let rows: Promise<readonly SearchRow[]> | undefined

function loadRows(): Promise<readonly SearchRow[]> {
  rows ??= fetch('/docs/search.json').then((response) => response.json())
  return rows
}

async function searchAll(query: string, isLatest: () => boolean): Promise<void> {
  const all = await loadRows().catch(() => [])
  if (results === null || !isLatest()) return
  const hits = searchRows(all, query)
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
  if (status !== null) {
    status.textContent = query.trim() === '' ? '' : hits.length === 0 ? 'Nothing found' : `${hits.length} found`
  }
}

if (form !== null) {
  form.hidden = false
  const input = form.querySelector('input')
  input?.addEventListener('focus', () => void loadRows().catch(() => {}))
  input?.addEventListener('input', () => {
    const query = input.value
    void searchAll(query, () => input.value === query)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    results?.querySelector('a')?.click()
  })
}

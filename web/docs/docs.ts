// Docs: what the page of the routes does for its reader: search, examples with this server's address, folded contents.
// Everything it shows is in the page already, so without scripts nothing is missing.

export {}

/** What examples are written with. */
const exampleOrigin = 'http://127.0.0.1:8080'
const narrow = matchMedia('(max-width: 60rem)')

for (const code of document.querySelectorAll('pre code')) {
  code.textContent = code.textContent.replaceAll(exampleOrigin, location.origin)
}

const contents = document.querySelector<HTMLDetailsElement>('details.contents')
const fold = () => contents?.toggleAttribute('open', !narrow.matches)
fold()
narrow.addEventListener('change', fold)
// On a phone, whoever has chosen wants to read.
contents?.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement && narrow.matches) contents.removeAttribute('open')
})

const sections = [...document.querySelectorAll<HTMLElement>('main section')]
const texts = sections.map((section) => section.textContent.toLowerCase())
const form = document.querySelector<HTMLFormElement>('form.search')
const status = document.querySelector('.search-status')

function search(query: string): void {
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

if (form !== null) {
  form.hidden = false
  const input = form.querySelector('input')
  input?.addEventListener('input', () => search(input.value))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    sections.find((section) => !section.hidden)?.scrollIntoView()
  })
  // A link leads to what it names, also where the search has hidden it.
  addEventListener('hashchange', () => {
    const wanted = document.getElementById(location.hash.slice(1))
    if (wanted?.closest<HTMLElement>('section')?.hidden !== true) return
    if (input) input.value = ''
    search('')
    wanted.scrollIntoView()
  })
}

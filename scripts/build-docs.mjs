// Build docs: turns docs/*.md into the pages below /docs, complete HTML that loads nothing from elsewhere, and the index
// of their search.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const groups = [
  ['Start', ['tutorial', 'faq', 'uploads', 'clients', 'cli', 'library', 'migrate-from-spring']],
  ['Reference', ['api', 'errors', 'notes', 'reading', 'schema', 'query', 'parquet', 'engines', 'copies', 'glossary']],
  ['Operation', ['config', 'deployment', 'operations', 'metrics', 'reliability']],
  ['Background', ['architecture', 'benchmarks', 'corpora', 'comparison', 'decisions']],
]

/** Every file that becomes a page. */
export function docFiles(root) {
  const inDir = (dir) =>
    readdirSync(dir)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(dir, name))
  return [...inDir(join(root, 'docs')), ...inDir(join(root, 'docs', 'decisions'))]
}

/**
 * Each page of the docs, by its path on the server without the first slash, and the index of the search: address, title
 * of the page, heading and text of every section. `script` and `style` are paths on the server.
 */
export async function builtDocs(root, { script, style }) {
  const pages = await docPages(root)
  const rows = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ id, heading, text }) => [`${path}#${id}`, title, heading, text]),
  )
  return new Map([
    ...pages.map((page) => [
      `${page.path.slice(1)}.html`,
      framed(page, { list: pageList(pages, page), script, style }),
    ]),
    ['docs/search.json', `${JSON.stringify(rows)}\n`],
  ])
}

function framed({ title, html }, { list, script, style }) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · CSV Upload Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top"><a class="brand" href="/">
<svg viewBox="0 0 22 16" aria-hidden="true"><rect y="5" width="22" height="6" rx="1" fill="var(--plot)"/><rect y="5" width="3" height="6" fill="var(--text)"/><rect x="13" y="1" width="3" height="14" fill="var(--warn-mark)"/></svg>
<span>CSV Upload Service</span></a>
<nav class="top-links" aria-label="First pages">${firstPages(title)}</nav></header>
<nav aria-label="Docs">
<form class="search" role="search" hidden><input type="search" aria-label="Search" placeholder="Search"><p class="quiet search-status" role="status"></p><ol class="results" aria-label="Found in the docs" hidden></ol></form>
<details class="contents" open>
<summary>Contents</summary>
${list}
</details>
</nav>
<main id="main" tabindex="-1">
${html}
</main>
</body>
</html>
`
}

function firstPages(shown) {
  return [
    ['/docs/tutorial', 'Tutorial'],
    ['/docs', 'API'],
    ['/openapi.json', 'openapi.json'],
  ]
    .map(([path, name]) => `<a href="${path}"${shown.startsWith(name) ? ' aria-current="page"' : ''}>${name}</a>`)
    .join('')
}

/** Links to all pages by group; below the current page, links to its sections. */
function pageList(pages, { path: shown, headings }) {
  // A page that is in no list comes below the last listed one.
  const present = shown.startsWith('/docs/decisions/') ? '/docs/decisions' : shown
  const isDeep = headings.some(({ depth }) => depth === 3)
  const sections = headings.map(({ id, name, depth }) => {
    const level = isDeep ? ` class="level-${depth}"` : ''
    return `<li${level}><a href="#${id}">${escaped(name)}</a></li>`
  })
  const own = present === shown && sections.length > 0 ? `\n<ul>${sections.join('')}</ul>` : ''
  const item = ({ path, title }) => {
    const [current, below] = path === present ? [' aria-current="page"', own] : ['', '']
    return `<li><a href="${path}"${current}>${escaped(title)}</a>${below}</li>`
  }
  const listOf = ([group]) =>
    pages
      .filter((page) => page.group === group)
      .map(item)
      .join('\n')
  return groups.map((group) => `<p class="group">${group[0]}</p>\n<ul>\n${listOf(group)}\n</ul>`).join('\n')
}

/** The pages: path, title, group, HTML of the content, headings, and sections for the search. */
async function docPages(root) {
  const { Marked } = await import('marked')
  const listed = groups.flatMap(([group, names]) => names.map((name) => ({ group, name })))
  const decisions = docFiles(root)
    .filter((path) => path.includes(join('docs', 'decisions')) && basename(path) !== 'README.md')
    .map((path) => ({ group: null, name: `decisions/${basename(path, '.md')}` }))
  const sources = [...listed, ...decisions].map(({ group, name }) => {
    const file = name === 'decisions' ? 'decisions/README.md' : `${name}.md`
    // Help in responses links to the page of the routes.
    return {
      group,
      path: name === 'api' ? '/docs' : `/docs/${name}`,
      file,
      text: readFileSync(join(root, 'docs', file), 'utf8'),
    }
  })
  const pathOf = new Map(sources.map(({ file, path }) => [file, path]))
  const codes = new Map(sources.flatMap(codesOf))
  return sources.map(({ group, path, file, text }) => {
    const page = rendered(new Marked(), text, { file, pathOf, codes, path })
    return { group, path, ...page }
  })
}

/** A row whose first cell is a code explains the code; every other occurrence of the code links to it. */
const codeRow = /^\| `([A-Z][A-Z_]+)` \|/gm

function codesOf({ path, text }) {
  if (!/\/(errors|notes)$/.test(path)) return []
  return Array.from(text.matchAll(codeRow), ([, code]) => [code, `${path}#${code}`])
}

function rendered(marked, text, { file, pathOf, codes, path }) {
  const headings = []
  const ids = new Set()
  const idOf = (plain) => {
    const base = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    let id = base
    for (let count = 1; ids.has(id); count += 1) id = `${base}-${count}`
    ids.add(id)
    return id
  }
  marked.use({
    renderer: {
      heading({ tokens, depth: written }) {
        // Never skips a level.
        const depth = Math.min(written, (headings.at(-1)?.depth ?? 0) + 1)
        // An `<a id>` at its beginning gives it an address that stays.
        const [, given, html] = /^(?:<a id="(\w+)"><\/a>)?(.*)$/s.exec(this.parser.parseInline(tokens))
        const id = given ?? idOf(plainText(html))
        // A route is listed by its method and path alone.
        const name = depth === 3 ? (/^<code>.*?<\/code>/.exec(html)?.[0] ?? html) : html
        headings.push({ depth, text: plainText(html), name: plainText(name), id })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      // Focusable, so that the keyboard can scroll it.
      code({ text, lang }) {
        const html = `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
        // Diagrams are not drawn here; the text below each one says the same.
        return lang === 'mermaid' ? `<details>\n<summary>Diagram, as Mermaid text</summary>\n${html}</details>\n` : html
      },
      // Long codes break behind a sign, not within a word.
      codespan: ({ text }) => {
        const html = `<code>${escaped(text).replaceAll(/[/_.,:=-](?=\w)/g, '$&<wbr>')}</code>`
        const target = codes.get(text)
        return target === undefined ? html : `<a href="${target}">${html}</a>`
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        // The text of the link has a code, which is a link already; links do not nest.
        if (html.includes('<a ')) return html
        const target = targetOf(href, file, pathOf)
        return target === null ? html : `<a href="${escaped(target)}">${html}</a>`
      },
      image: ({ text }) => escaped(text),
      table({ header, rows }) {
        const names = header.map((cell) => plainText(this.parser.parseInline(cell.tokens)))
        const head = names.map((name) => (name === '' ? '<td></td>' : `<th scope="col">${escaped(name)}</th>`))
        const body = rows.map((row) => {
          const code = codes.get(row[0].text.replaceAll('`', ''))?.split('#')
          const id = code?.[0] === path ? ` id="${code[1]}"` : ''
          const cells = row.map((cell, at) => {
            const html = at === 0 && id !== '' ? `<code>${code[1]}</code>` : this.parser.parseInline(cell.tokens)
            return `<td${at > 0 && names[at] !== '' ? ` data-name="${escaped(names[at])}"` : ''}>${html}</td>`
          })
          return `<tr${id}>${cells.join('')}</tr>`
        })
        return `<table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>\n</table>\n`
      },
    },
  })
  const parsed = marked.parse(text)
  const html = path === '/docs' ? parsed.replace('<h2', () => `${routeTable(headings)}<h2`) : parsed
  const title = headings[0].text
  const depthMax = path === '/docs' ? 3 : 2
  const listed = headings.filter(({ depth }) => depth > 1 && depth <= depthMax)
  return { title, html, headings: listed, sections: sectionsOf(html, headings) }
}

/** All routes, at the top of their page. */
function routeTable(headings) {
  const rows = headings.flatMap(({ id, text, name }) => {
    if (!/^(GET|PUT|POST|HEAD|PATCH|DELETE|OPTIONS) /.test(text)) return []
    return [
      `<tr><td><a href="#${id}"><code>${escaped(name)}</code></a></td><td>${escaped(text.slice(name.length))}</td></tr>`,
    ]
  })
  const head = '<thead><tr><th scope="col">Route</th><th scope="col">What it does</th></tr></thead>'
  return `<table>\n${head}\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table>\n`
}

/** Null if the target is not one of the pages, such as a source file. */
function targetOf(href, file, pathOf) {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const [name, fragment] = href.split('#')
  const { pathname } = new URL(name, `file:///${file}`)
  const path = pathOf.get(pathname.slice(1))
  if (path === undefined) return null
  return fragment === undefined ? path : `${path}#${fragment}`
}

function sectionsOf(html, headings) {
  const parts = html.split(/<h[1-6] id="[^"]*">.*?<\/h[1-6]>\n/s).slice(1)
  return headings.map(({ id, text }, at) => ({ id, heading: text, text: plainText(parts[at] ?? '') }))
}

function plainText(html) {
  return html
    .replaceAll('<wbr>', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

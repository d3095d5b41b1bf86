// Docs page: the description of the routes as one page of HTML, without scripts and with nothing loaded from elsewhere.
import { createHash } from 'node:crypto'
import { apiText, type Block } from './api-markdown.ts'
import type { OpenApi } from './openapi.ts'

const style = `
:root { color-scheme: light dark; --line: light-dark(#ccc, #444); --soft: light-dark(#f4f4f2, #1d1f22); --link: light-dark(#0b57a4, #8ec5ff) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: minmax(14rem, 20rem) minmax(0, 60rem); gap: 2rem }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; border-right: 1px solid var(--line); font-size: .9rem }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0 }
nav li { padding: .25rem 0; overflow-wrap: anywhere }
main { padding: 1rem }
a { color: var(--link) }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line) }
h3 { margin-top: 2.5rem; scroll-margin-top: 1rem }
code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; overflow-wrap: anywhere }
pre { background: var(--soft); padding: 1rem; overflow: auto; max-height: 30rem }
pre code { padding: 0; overflow-wrap: normal }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line) }
td { overflow-wrap: anywhere }
td:first-child code { overflow-wrap: normal }
@media (max-width: 60rem) { body { display: block } nav { position: static; height: auto; border: 0 } }
`

/** Allows the page its own style and nothing else. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`

/** The page. */
export function docsPage(document: OpenApi): string {
  const blocks = apiText(document)
  const title = `${document.info.title} ${document.info.version}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Operations">
<p><a href="/openapi.json">openapi.json</a></p>
<ul>
${blocks.flatMap(navItem).join('\n')}
</ul>
</nav>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(String(document.info.description))}</p>
${blocks.map(html).join('\n')}
</main>
</body>
</html>
`
}

function navItem(block: Block): readonly string[] {
  if (block.kind !== 'heading') return []
  const { level, text, id } = block
  const short = /^`([^`]+)`/.exec(text)?.[1] ?? text
  return [
    `<li>${level === 2 ? '<strong>' : ''}<a href="#${id}">${escaped(short)}</a>${level === 2 ? '</strong>' : ''}</li>`,
  ]
}

function html(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${block.id}">${inline(block.text)}</h${block.level}>`
    case 'text':
      return `<p>${inline(block.text)}</p>`
    case 'code':
      // Focusable, so that the keyboard can scroll it.
      return `<pre tabindex="0"><code>${escaped(block.text)}</code></pre>`
    case 'table':
      return `<table>\n<thead><tr>${block.head.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')}</tr></thead>\n<tbody>\n${block.rows
        .map((row) => `<tr>${row.map((cell) => `<td>${inline(cell)}</td>`).join('')}</tr>`)
        .join('\n')}\n</tbody>\n</table>`
  }
}

/** Code and links of a text. */
function inline(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\((#[a-z]+)\)/g, '<a href="$2">$1</a>')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

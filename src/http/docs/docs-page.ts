// Docs page: the description of the routes as one HTML page, complete without its script, with nothing loaded from elsewhere.
import { readFileSync } from 'node:fs'
import { apiText, type Block } from '../openapi/api-markdown.ts'
import type { OpenApi } from '../openapi/openapi.ts'
import { escaped, framed, type GuidePage, guideList } from './docs-frame.ts'

/** An error as docs/errors.md explains it; texts are Markdown with no markup but `code`. */
export interface ErrorRow {
  readonly code: string
  readonly status: string
  readonly exception: string
  readonly message: string
  readonly advice: string
}

export interface DocsAssets {
  /** Paths on this server. */
  readonly script: string
  readonly style: string
  readonly errors: readonly ErrorRow[]
}

/** What scripts/build-web.mjs built for the page; needs build/web. */
export function readDocsAssets(): DocsAssets {
  // Written by scripts/build-web.mjs in this shape.
  return JSON.parse(readFileSync(new URL('../../../build/web/docs.json', import.meta.url), 'utf8')) as DocsAssets
}

/** A heading and what follows it, up to the next heading. */
type Section = readonly Block[]

/** The page. */
export function docsPage(
  document: OpenApi,
  { script, style, errors }: DocsAssets,
  guide: readonly GuidePage[],
): string {
  const codes = new Set(errors.map(({ code }) => code))
  const blocks = apiText(document)
  const title = `${document.info.title} ${document.info.version}`
  const errorList: Block = { kind: 'heading', level: 2, text: 'Errors', id: 'errors' }
  const operations = `<ul>\n${[...blocks, errorList].flatMap(navItem).join('\n')}\n</ul>`
  const main = `<h1>${escaped(title)}</h1>
<p>${escaped(String(document.info.description))}</p>
${sectionsOf(blocks)
  .map((section) => sectionHtml(section, codes))
  .join('\n')}
${errorSection(errors)}`
  return framed({ title, contents: guideList(guide, '/docs', operations), main, script, style })
}

/** What the search covers: each heading with the text below it. */
export function docsSections(document: OpenApi): readonly { id: string; heading: string; text: string }[] {
  return sectionsOf(apiText(document)).flatMap(([first, ...rest]) => {
    if (first?.kind !== 'heading') return []
    const text = rest.map(textOf).join(' ')
    return [{ id: first.id, heading: plain(first.text), text: plain(text) }]
  })
}

/** Examples would only clutter a search. */
function textOf(block: Block): string {
  if (block.kind === 'code') return ''
  return block.kind === 'table' ? block.rows.flat().join(' ') : block.text
}

function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}

/** The text before the first heading is a section, too. */
function sectionsOf(blocks: readonly Block[]): readonly Section[] {
  const sections: Block[][] = []
  for (const block of blocks) {
    const last = sections.at(-1)
    if (block.kind === 'heading' || last === undefined) sections.push([block])
    else last.push(block)
  }
  return sections
}

function sectionHtml(section: Section, codes: ReadonlySet<string>): string {
  const [first] = section
  const id = first?.kind === 'heading' ? first.id : ''
  return `<section data-id="${id}">\n${section.map((block) => html(block, codes)).join('\n')}\n</section>`
}

function errorSection(errors: readonly ErrorRow[]): string {
  const rows = errors.map(
    ({ code, status, exception, message, advice }) =>
      `<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${inline(message)}<br><span class="quiet">${inline(exception)}</span></td><td>${inline(advice)}</td></tr>`,
  )
  return `<section data-id="errors">
<h2 id="errors">Errors</h2>
<p>The code is the name of an error in these pages and in the log; on the wire it shows as status, exception and message. In a message, braces stand for a value.</p>
<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Message and exception</th><th scope="col">What to do</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>`
}

function navItem(block: Block): readonly string[] {
  if (block.kind !== 'heading') return []
  const { level, text, id } = block
  const short = /^`([^`]+)`/.exec(text)?.[1] ?? text
  return [`<li class="level-${level}"><a href="#${id}">${escaped(short)}</a></li>`]
}

function html(block: Block, codes: ReadonlySet<string>): string {
  const linked = (text: string) => withErrorLinks(inline(text), codes)
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${block.id}">${inline(block.text)}</h${block.level}>`
    case 'text':
      return `<p>${linked(block.text)}</p>`
    case 'code':
      // Focusable, so that the keyboard can scroll it.
      return `<pre tabindex="0"><code>${escaped(block.text)}</code></pre>`
    case 'table':
      return `<table>\n<thead><tr>${block.head.map((cell) => `<th scope="col">${inline(cell)}</th>`).join('')}</tr></thead>\n<tbody>\n${block.rows
        .map((row) => `<tr>${row.map((cell) => `<td>${linked(cell)}</td>`).join('')}</tr>`)
        .join('\n')}\n</tbody>\n</table>`
  }
}

/** Error codes link to their explanation. */
function withErrorLinks(markup: string, codes: ReadonlySet<string>): string {
  return markup.replaceAll(/<code>([A-Z_]+)<\/code>/g, (whole, code: string) =>
    codes.has(code) ? `<a href="#error-${code}">${whole}</a>` : whole,
  )
}

/** Code and links of a text. */
function inline(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\[([^\]]+)\]\((#[a-z]+)\)/g, '<a href="$2">$1</a>')
}

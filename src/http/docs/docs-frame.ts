// Docs frame: the frame of every docs page: head, search, and the list of all pages. Loads nothing from elsewhere.

/** Allows the page its own style and script and nothing else. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"

/** A page made of a file of docs/, see scripts/build-docs.mjs. */
export interface GuidePage {
  /** Below `/docs/`. */
  readonly path: string
  /** Null for one that is in no list. */
  readonly group: string | null
  readonly title: string
  readonly html: string
  readonly headings: readonly { readonly id: string; readonly text: string }[]
  readonly sections: readonly { readonly id: string; readonly heading: string; readonly text: string }[]
}

interface Framed {
  readonly title: string
  /** HTML, as is `main`. */
  readonly contents: string
  readonly main: string
  readonly script: string
  readonly style: string
}

export function framed({ title, contents, main, script, style }: Framed): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/">CSV Upload Service</a> <a href="/openapi.json">openapi.json</a></header>
<nav aria-label="Docs">
<form class="search" role="search" hidden><input type="search" aria-label="Search" placeholder="Search"><p class="quiet search-status" role="status"></p><ol class="results" aria-label="Found in the docs" hidden></ol></form>
<details class="contents" open>
<summary>Contents</summary>
${contents}
</details>
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`
}

/** Links to all pages by group; below the current page, links to its sections. */
export function guideList(guide: readonly GuidePage[], present: string, own: string): string {
  const api = { path: '/docs', title: 'API', group: 'Reference' }
  const listed = [api, ...guide].filter(({ group }) => group !== null)
  const groups = Map.groupBy(listed, ({ group }) => group)
  const item = ({ path, title }: Pick<GuidePage, 'path' | 'title'>) =>
    path === present
      ? `<li><a href="${path}" aria-current="page">${escaped(title)}</a>\n${own}</li>`
      : `<li><a href="${path}">${escaped(title)}</a></li>`
  const order = [...new Set(guide.flatMap(({ group }) => group ?? []))]
  return order
    .map((group) => `<p class="group">${group}</p>\n<ul>\n${(groups.get(group) ?? []).map(item).join('\n')}\n</ul>`)
    .join('\n')
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

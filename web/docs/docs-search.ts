// Docs search: finds sections of all docs pages by words. Knows no element.

/** Address, title of the page, heading, text. */
export type SearchRow = readonly [address: string, page: string, heading: string, text: string]

export const hitsMax = 20
/** Characters shown before and after a word. */
const aroundMax = 60

/** Sections with all the words: first those with more of them in their heading, then in the order of the docs. */
export function searchRows(rows: readonly SearchRow[], query: string) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const found = rows.flatMap(([address, page, heading, text]) => {
    const [title, body] = [`${page} ${heading}`.toLowerCase(), text.toLowerCase()]
    if (!words.every((word) => title.includes(word) || body.includes(word))) return []
    const inTitle = words.filter((word) => title.includes(word)).length
    const at = Math.max(0, ...words.map((word) => body.indexOf(word)))
    return [{ inTitle, hit: { address, page, heading, excerpt: excerptOf(text, at) } }]
  })
  return found
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, hitsMax)
    .map(({ hit }) => hit)
}

/** The text around the first word that was found. */
function excerptOf(text: string, at: number): string {
  const [from, to] = [Math.max(0, at - aroundMax), at + aroundMax]
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

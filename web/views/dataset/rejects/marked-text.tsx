// Marked text: the text of a record with the place that makes it unreadable. Knows no dataset.
import type { TextPlace } from '../../../check/texts/read-texts.ts'
import { t } from '../../../texts.ts'

/** Characters shown before the place, and after it. */
const shownBefore = 400
const shownAfter = 1_600

export function MarkedText({ text, place }: { readonly text: string; readonly place: TextPlace | null }) {
  const at = place ?? { from: text.length, to: text.length }
  const from = Math.max(0, (place?.from ?? 0) - shownBefore)
  const to = Math.min(text.length, from + shownBefore + shownAfter)
  const end = Math.min(at.to, to)
  return (
    <code class="raw">
      {from > 0 && '…'}
      {seen(text.slice(from, at.from))}
      {place !== null &&
        (at.from === at.to ? <mark class="gap" title={t.missing} /> : <mark>{seen(text.slice(at.from, end))}</mark>)}
      {seen(text.slice(end, to))}
      {to < text.length && '…'}
    </code>
  )
}

/** Control characters that a browser does not show are replaced by their symbols. */
export function seen(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => {
    const code = control.charCodeAt(0)
    if (control === '\t' || control === '\n' || code > 0x7f) return control
    return code === 0x7f ? '\u2421' : String.fromCharCode(0x2400 + code)
  })
}

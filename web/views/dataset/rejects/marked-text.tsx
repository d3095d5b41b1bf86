// Marked text: the text of a rejected record with the place of what is wrong.
import type { RejectPreview } from '../../../../src/core/receipt.ts'
import { fieldsOf } from '../../../../src/service/ingest/mend.ts'
import type { Receipt } from '../../../api.ts'
import type { TextPlace } from '../../../parts/text-of.ts'
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
      {visible(text.slice(from, at.from))}
      {place !== null &&
        (at.from === at.to ? <mark class="gap" title={t.missing} /> : <mark>{visible(text.slice(at.from, end))}</mark>)}
      {visible(text.slice(end, to))}
      {to < text.length && '…'}
    </code>
  )
}

/** A character that is wrong, the fields that are too many or missing, or the named column; null for the whole record. */
export function placeOf(
  { reason, column }: RejectPreview,
  text: string,
  { dialect, columns }: Pick<Receipt, 'dialect' | 'columns'>,
): TextPlace | null {
  const wrong = text.indexOf(reason === 'invalid_bytes' ? '\ufffd' : '\0')
  if ((reason === 'invalid_bytes' || reason === 'nul_byte') && wrong >= 0) return { from: wrong, to: wrong + 1 }
  if (reason === 'too_few_fields') return { from: text.length, to: text.length }
  const isSurplus = reason === 'too_many_fields'
  const at = isSurplus ? columns.length : (column ?? 0) - 1
  const fields = fieldsOf(text, dialect)
  const field = fields[at]
  if (field === undefined) return null
  const from = fields.slice(0, at).reduce((sum, { raw }) => sum + raw.length + 1, 0)
  return { from, to: isSurplus ? text.length : from + field.raw.length }
}

/** Control characters that a browser does not show are replaced by their symbols. */
export function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => {
    const code = control.charCodeAt(0)
    if (control === '\t' || control === '\n' || code > 0x7f) return control
    return code === 0x7f ? '\u2421' : String.fromCharCode(0x2400 + code)
  })
}

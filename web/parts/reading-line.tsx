// Reading line: how a file is read, in one line. Knows no file.
import type { ProvisionalReceipt } from '../check/provisional.ts'
import { count } from '../format.ts'
import { t } from '../texts.ts'
import { delimiterName } from './dialect-fields.tsx'

type ReadingLineProps = { readonly receipt: Pick<ProvisionalReceipt, 'encoding' | 'dialect' | 'columns'> }

export function ReadingLine({ receipt: { encoding, dialect, columns } }: ReadingLineProps) {
  return (
    <p class="quiet reading">
      {t.columnCount(count(columns.length))} · {t.delimiter} <code>{delimiterName(dialect.delimiter)}</code> · {t.quote}{' '}
      {dialect.quoteChar === null ? t.none : <code>{dialect.quoteChar}</code>} · {encoding.name} ·{' '}
      {dialect.header ? t.withHeader : t.withoutHeader}
    </p>
  )
}

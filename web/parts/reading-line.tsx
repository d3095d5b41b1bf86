// Reading line: how a file is read, in one line. Knows no file.
import type { ProvisionalReceipt } from '../check/provisional.ts'
import { count } from '../format.ts'
import { t } from '../texts.ts'
import { delimiterName } from './dialect-fields.tsx'

type ReadingLineProps = {
  readonly receipt: Pick<ProvisionalReceipt, 'isWhole' | 'encoding' | 'dialect' | 'columns' | 'records'>
}

export function ReadingLine({ receipt: { isWhole, encoding, dialect, columns, records } }: ReadingLineProps) {
  const rejected = count(records.rejected)
  return (
    <p class="quiet reading">
      {t.columnCount(count(columns.length))} · {t.delimiter} <code>{delimiterName(dialect.delimiter)}</code> · {t.quote}{' '}
      {dialect.quoteChar === null ? t.none : <code>{dialect.quoteChar}</code>} · {encoding.name} ·{' '}
      {dialect.header ? t.withHeader : t.withoutHeader}
      {records.rejected > 0 && ` · ${isWhole ? `${t.rejected}: ${rejected}` : t.rejectedInHead(rejected)}`}
    </p>
  )
}

// Account: the sentence that adds up: every record of a file is its header, blank, skipped, a row or rejected.
import type { RecordCounts } from '../../src/core/receipt.ts'
import { count } from '../format.ts'
import { t } from '../texts.ts'

interface AccountProps {
  readonly records: RecordCounts
  /** Where the rejects are shown. */
  readonly rejectsHref: string
}

export function Account({ records, rejectsHref }: AccountProps) {
  return (
    <>
      <Term text={t.recordTotal(count(records.total))} /> ={' '}
      {termsOf(records).map(({ kind, text }, at) => (
        <>
          {at > 0 && ' + '}
          {kind === 'rejected' && records.rejected > 0 ? (
            <a class="warn" href={rejectsHref}>
              <Term text={text} />
            </a>
          ) : (
            <Term text={text} />
          )}
        </>
      ))}
    </>
  )
}

/** The figure stands out from its word. */
function Term({ text }: { readonly text: string }) {
  const [figure, ...words] = text.split(' ')
  return (
    <>
      <b>{figure}</b> {words.join(' ')}
    </>
  )
}

/** `20,001 records = 1 header + 19,981 rows + 19 rejected`. */
export function accountText(records: RecordCounts): string {
  const terms = termsOf(records).map(({ text }) => text)
  return `${t.recordTotal(count(records.total))} = ${terms.join(' + ')}`
}

/** What there is none of goes without saying, but for rows and rejects. */
function termsOf({ header, blank, skipped, accepted, rejected }: RecordCounts) {
  const terms = [
    { kind: 'header', figure: header, text: t.headerTerm },
    { kind: 'blank', figure: blank, text: t.blankTerm },
    { kind: 'skipped', figure: skipped, text: t.skippedTerm },
    { kind: 'rows', figure: accepted, text: t.rowTerm },
    { kind: 'rejected', figure: rejected, text: t.rejectedTerm },
  ]
  return terms
    .filter(({ kind, figure }) => figure > 0 || kind === 'rows' || kind === 'rejected')
    .map(({ kind, figure, text }) => ({ kind, text: text(count(figure)) }))
}

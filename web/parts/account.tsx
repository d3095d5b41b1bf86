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
  const [rejected = '', ...others] = accountText(records).split(' + ').toReversed()
  return (
    <>
      <Figures text={others.toReversed().join(' + ')} /> +{' '}
      {records.rejected === 0 ? (
        <Figures text={rejected} />
      ) : (
        <a class="warn" href={rejectsHref}>
          <Figures text={rejected} />
        </a>
      )}
    </>
  )
}

/** Figures stand out from their words. */
function Figures({ text }: { readonly text: string }) {
  return text.split(/(\d[\d.,]*)/).map((part, at) => (at % 2 === 1 ? <b key={at}>{part}</b> : part))
}

/** `20,001 records = 1 header + 19,981 rows + 19 rejected`. What there is none of goes without saying, but for these. */
export function accountText({ total, header, blank, skipped, accepted, rejected }: RecordCounts): string {
  const optional: readonly (readonly [number, (figure: string) => string])[] = [
    [header, t.headerTerm],
    [blank, t.blankTerm],
    [skipped, t.skippedTerm],
  ]
  const terms = [
    ...optional.flatMap(([figure, text]) => (figure === 0 ? [] : text(count(figure)))),
    t.rowTerm(count(accepted)),
    t.rejectedTerm(count(rejected)),
  ]
  return `${t.recordTotal(count(total))} = ${terms.join(' + ')}`
}

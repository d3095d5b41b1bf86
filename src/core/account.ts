// Account: the sentence that accounts for every record of a file. The page has its own, in two languages.
import type { RecordCounts } from './receipt.ts'

/** `20,001 records = 1 header + 19,981 rows + 19 rejected`; what there is none of is left out, except rows. */
export function accountOf({ total, header, blank, skipped, accepted, rejected }: RecordCounts): string {
  const terms = [
    ...(header > 0 ? [`${shown(header)} header`] : []),
    ...(blank > 0 ? [`${shown(blank)} blank`] : []),
    ...(skipped > 0 ? [`${shown(skipped)} skipped`] : []),
    `${shown(accepted)} ${accepted === 1 ? 'row' : 'rows'}`,
    ...(rejected > 0 ? [`${shown(rejected)} rejected`] : []),
  ]
  return `${shown(total)} ${total === 1 ? 'record' : 'records'} = ${terms.join(' + ')}`
}

/** The sum of several files. */
export function sumOfRecords(files: readonly RecordCounts[]): RecordCounts {
  const sum = (name: keyof RecordCounts) => files.reduce((total, counts) => total + counts[name], 0)
  const [total, header, blank] = [sum('total'), sum('header'), sum('blank')]
  return { total, header, blank, skipped: sum('skipped'), accepted: sum('accepted'), rejected: sum('rejected') }
}

function shown(count: number): string {
  return count.toLocaleString('en-US')
}

// Journal writer: the child process of the tests of journals. Adds or replaces lines as told, and says whether that
// has failed. Argument: path of the journal.
import { LineJournal } from '../../../src/io/line-journal.ts'

/** One of the two. */
export interface JournalOrder {
  readonly add?: string
  readonly replace?: readonly string[]
}

const [, , path = ''] = process.argv
const journal = await LineJournal.open(path, (lines) => lines)
process.on('message', async ({ add, replace = [] }: JournalOrder) => {
  const work = add === undefined ? journal.replaceBeyond(0, () => replace) : journal.add(add)
  const outcome = await work.then(
    () => 'durable',
    () => 'failed',
  )
  process.send?.(outcome)
})
process.send?.('ready')

// Test reporter: Node's own report without the lines of passed tests, so that failures and skips stand out. Sends the
// counts to the process that started the run.
import { Readable } from 'node:stream'
import { spec as Spec } from 'node:test/reporters'
import { watchForStalls } from './test-stalls.mjs'

/** Forwards all events except plain passes. Fails a run without a single test. */
async function* withoutPasses(events) {
  const counts = { tests: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0 }
  const onEvent = watchForStalls()
  for await (const event of events) {
    onEvent(event)
    if (event.type === 'test:summary' && event.data.file === undefined) Object.assign(counts, event.data.counts)
    const isPlainPass = event.type === 'test:pass' && event.data.skip === undefined && event.data.todo === undefined
    if (!isPlainPass && event.type !== 'test:start') yield event
  }
  process.send?.(counts)
  if (counts.tests === 0) {
    process.stderr.write('No tests were run.\n')
    process.exitCode = 1
  }
}

export default async function* reporter(events) {
  yield* Readable.from(withoutPasses(events)).pipe(new Spec())
}

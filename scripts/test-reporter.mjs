// Test reporter: Node's own report with the lines of passed tests left out, so that failures, skips and counts are seen.
import { Readable } from 'node:stream'
import { spec as Spec } from 'node:test/reporters'

/** Passes on everything but the plain passes; a run without a single test fails. */
async function* worthReading(events) {
  let tests = 0
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file === undefined) tests = event.data.counts.tests
    const isPlainPass = event.type === 'test:pass' && event.data.skip === undefined && event.data.todo === undefined
    if (!isPlainPass && event.type !== 'test:start') yield event
  }
  if (tests === 0) {
    process.stderr.write('No test ran.\n')
    process.exitCode = 1
  }
}

export default async function* reporter(events) {
  yield* Readable.from(worthReading(events)).pipe(new Spec())
}

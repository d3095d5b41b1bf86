// Compare with oracle: declares tests that the scanner agrees with its oracle on random input, however it is split.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { lookAhead } from './record-rules.ts'
import type { Scanner } from './scanner.ts'
import {
  buildScanner,
  type Case,
  everyCut,
  type Outcome,
  outcomeOf,
  plain,
  randomCase,
  randomCuts,
} from './scanner-cases.testing.ts'
import { createOracleScanner } from './scanner-oracle.testing.ts'
import { createScanner } from './wasm-scanner.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** The same scanner, with other work between its calls: scanners of another dialect, each in the middle of a record. */
function besideAnother(scanner: Scanner): Scanner {
  const disturb = () => createScanner({ ...plain, delimiter: 59, quote: 39, width: 2 }).push(Buffer.from("x;y\n'1;"))
  return {
    exclude: (ordinals) => scanner.exclude(ordinals),
    push(chunk) {
      disturb()
      return scanner.push(chunk)
    },
    end() {
      disturb()
      return scanner.end()
    },
  }
}

function assertSame(title: string, { input, options, ahead, exclusions }: Case, cuts: Iterable<Uint8Array[]>) {
  const oracle = createOracleScanner(options, ahead)
  const expected = outcomeOf(oracle, [input], exclusions)
  for (const chunks of cuts) {
    const replay = () =>
      `SEED=${seed}, ${title}: ${JSON.stringify({ options, ahead, exclusions: exclusions.slice(0, 20), chunks: chunks.length })} ` +
      JSON.stringify(Buffer.from(input.subarray(0, 500)).toString('latin1'))
    let found: Outcome
    try {
      found = outcomeOf(besideAnother(createScanner(options, ahead)), chunks, exclusions)
    } catch (error) {
      throw new Error(`scanner failed, ${replay()}`, { cause: error })
    }
    // Built only on failure: the text is long.
    try {
      assert.deepEqual(found, expected)
    } catch (error) {
      throw new Error(`scanner and oracle differ, ${replay()}\n${error instanceof Error ? error.message : error}`)
    }
  }
  let at = 0
  for (const range of oracle.ranges) {
    assert.equal(range.from, at)
    at = range.to
  }
  assert.equal(at, input.length)
  const kinds = oracle.ranges.map((range) => range.kind)
  const count = (kind: string) => kinds.filter((one) => one === kind).length
  assert.deepEqual(
    [count('accepted'), count('blank'), count('skipped'), count('rejected')],
    [expected.accepted, expected.blank, expected.skipped, expected.rejects.length],
  )
  assert.equal(
    expected.rejects.at(-1)?.record ?? 0,
    kinds.lastIndexOf('rejected') < 0 ? 0 : options.start.records + kinds.lastIndexOf('rejected') + 1,
  )
}

/** Number of inputs of each size. */
export interface OracleCounts {
  readonly small: number
  readonly large: number
  readonly long: number
}

/** Declares the tests. */
export function compareWithOracle(counts: OracleCounts): void {
  buildScanner()

  test(`createScanner() agrees with its oracle on small hostile input, split at every byte (SEED=${seed})`, () => {
    const random = randomFrom(seed)
    for (let index = 0; index < counts.small; index++) {
      const one = randomCase(random, 'small')
      assertSame(`small ${index}`, one, everyCut(one.input))
    }
  })

  test(`createScanner() agrees with its oracle on larger input, split anywhere (SEED=${seed})`, () => {
    const random = randomFrom(seed + 1)
    for (let index = 0; index < counts.large; index++) {
      const one = randomCase(random, 'large')
      assertSame(`large ${index}`, one, [
        [one.input],
        randomCuts(random, one.input, 3),
        randomCuts(random, one.input, 40),
      ])
    }
  })

  test(`createScanner() agrees with its oracle on records longer than chunks and look-ahead (SEED=${seed})`, () => {
    const random = randomFrom(seed + 2)
    for (let index = 0; index < counts.long; index++) {
      const one = { ...randomCase(random, 'long'), ahead: lookAhead }
      assertSame(`long ${index}`, one, [[one.input], randomCuts(random, one.input, 20)])
    }
  })
}

// Fuzz tests of multipart-parser.ts: thousands of bodies built and broken by a seed; `npm run torture` reads millions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMutatedBodies, readWrittenBodies } from '../../torture/multipart.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
const bodyCount = 4_000

test(`MultipartParser reads or refuses mutated bodies alike, in any chunks (SEED=${seed})`, () => {
  const { wholeCount, refusedCount } = readMutatedBodies(seed, bodyCount)
  // A fuzz test that only sees refusals would test the error path alone.
  assert.ok(wholeCount > bodyCount / 4 && refusedCount > bodyCount / 10, `${wholeCount} whole, ${refusedCount} refused`)
})

test(`MultipartParser returns the parts that were written (SEED=${seed})`, () => {
  readWrittenBodies(seed, bodyCount / 8)
})

// Tests of length figures against a plain computation over all lengths.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../../columns/converter.testing.ts'
import { randomFrom } from '../../core/random.testing.ts'
import { lengthFigures } from './length-figures.ts'

function countsOf(lengths: readonly number[]): [number, number][] {
  const groups = Map.groupBy(lengths, (length) => length)
  return [...groups].map(([length, same]): [number, number] => [length, same.length]).sort(([a], [b]) => a - b)
}

test(`lengthFigures() agrees with a list of all lengths (SEED=${seed})`, () => {
  const random = randomFrom(seed)
  for (let round = 0; round < 200; round++) {
    const spread = 1 + random(60)
    const lengths = Array.from({ length: 1 + random(50) }, () => random(spread)).sort((a, b) => a - b)
    const { mean, deviation, quartiles, hist, binWidth } = lengthFigures(countsOf(lengths))
    const wantedMean = lengths.reduce((sum, one) => sum + one, 0) / lengths.length
    assert.ok(Math.abs(mean - wantedMean) < 1e-9)
    const variance = lengths.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (lengths.length - 1)
    if (lengths.length === 1) assert.equal(deviation, null)
    else assert.ok(Math.abs((deviation ?? -1) - Math.sqrt(variance)) < 1e-9)
    for (const [i, part] of [0.25, 0.5, 0.75].entries()) {
      const at = part * (lengths.length - 1)
      const [low, high] = [lengths[Math.floor(at)]!, lengths[Math.ceil(at)]!]
      assert.equal(quartiles[i], Math.round(2 * (low + (high - low) * (at - Math.floor(at)))) / 2)
    }
    const least = lengths[0]!
    assert.ok(hist.length <= 10)
    for (const [bin, count] of hist.entries()) {
      const from = least + bin * binWidth
      assert.equal(count, lengths.filter((one) => one >= from && one < from + binWidth).length)
    }
    assert.equal(
      hist.reduce((sum, one) => sum + one, 0),
      lengths.length,
    )
  }
})

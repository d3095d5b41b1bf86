// Tests of row groups: where they end, and what one of them says about the next.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../core/random.testing.ts'
import { layoutOf, seed, writeColumns } from './columns.testing.ts'
import { encodings } from './parquet-format.ts'

const layout = layoutOf(1)
const columns = [{ name: 'a', type: { kind: 'text' }, nullWords: [] }] as const

test('a row group ends with the last record that is within its bytes, wherever the bytes are cut', (t) => {
  t.diagnostic(`SEED=${seed}`)
  const random = randomFrom(seed)
  for (let round = 0; round < 100; round++) {
    const rowGroupBytes = 1 + random(300)
    const texts = Array.from({ length: 1 + random(200) }, () => 'x'.repeat(1 + random(random(20) === 0 ? 900 : 30)))
    const wanted: number[] = []
    let bytes = Number.POSITIVE_INFINITY
    for (const { length } of texts) {
      bytes += length + 1
      if (bytes > rowGroupBytes) {
        wanted.push(0)
        bytes = length + 1
      }
      wanted[wanted.length - 1]! += 1
    }
    const cut = random(2) === 0 ? undefined : () => 1 + random(2 * rowGroupBytes)
    const { rowGroups } = writeColumns(
      texts.map((text) => `${text}\n`).join(''),
      { layout, columns, rowGroupBytes },
      cut,
    )
    // One that begins with a longer record takes as many more as there is room for in twice, four times … its bytes.
    if (texts.every(({ length }) => length < rowGroupBytes))
      assert.deepEqual(
        rowGroups.map(({ records }) => records),
        wanted,
        `SEED=${seed}`,
      )
    const uncut = writeColumns(texts.map((text) => `${text}\n`).join(''), { layout, columns, rowGroupBytes })
    assert.deepEqual(rowGroups, uncut.rowGroups, `SEED=${seed}`)
  }
})

test('texts that are too many for a dictionary in one row group have none in those that follow', () => {
  const different = Array.from({ length: 3_000 }, (_, i) => `text ${i}`)
  const same = Array.from({ length: 3_000 }, (_, i) => `text ${i % 7}`)
  const encodingsOf = (texts: readonly string[]) => {
    const options = { layout, columns, rowGroupRecords: 3_000 }
    const { rowGroups } = writeColumns(texts.map((text) => `${text}\n`).join(''), options)
    return rowGroups.map(({ chunks }) => chunks[0]?.encoding)
  }
  const { deltaLengthByteArray, rleDictionary } = encodings
  assert.deepEqual(encodingsOf([...same, ...different, ...same]), [
    rleDictionary,
    deltaLengthByteArray,
    deltaLengthByteArray,
  ])
  assert.deepEqual(encodingsOf([...same, ...same]), [rleDictionary, rleDictionary])
})

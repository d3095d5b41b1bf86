// Tests of packed integers: their pages are those of a plain encoder, which handles one value at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { layoutOf, seed, writeColumns } from './columns.testing.ts'

const blockValues = 128
const packValues = 32

function varint(value: bigint): readonly number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)]
}

const zigzag = (value: bigint): bigint => (value < 0n ? -value * 2n - 1n : value * 2n)
const ascending = (values: readonly bigint[]): bigint[] => values.toSorted((a, b) => (a < b ? -1 : 1))

function bitWidth(values: readonly bigint[]): number {
  return Math.max(...values.map((value) => (value === 0n ? 0 : value.toString(2).length)))
}

function packed(values: readonly bigint[], bits: number): readonly number[] {
  const word = values.reduce((sum, value, i) => sum | (value << BigInt(i * bits)), 0n)
  return Array.from({ length: bits * 4 }, (_, i) => Number((word >> BigInt(i * 8)) & 255n))
}

/** A page in Parquet's DELTA_BINARY_PACKED encoding: blocks of 128 values in four packs of 32. */
function plainPage(values: readonly bigint[]): Buffer {
  const differences = values.slice(1).map((value, i) => value - (values[i] as bigint))
  const bytes = [...varint(128n), 4, ...varint(BigInt(values.length)), ...varint(zigzag(values[0] as bigint))]
  for (let at = 0; at < differences.length; at += blockValues) {
    const block = differences.slice(at, at + blockValues)
    const [least = 0n] = ascending(block)
    const filled = Array.from({ length: blockValues }, (_, i) => (block[i] ?? least) - least)
    const packs = [0, 1, 2, 3].map((i) => filled.slice(i * packValues, (i + 1) * packValues))
    const widths = packs.map(bitWidth)
    bytes.push(...varint(zigzag(least)), ...widths, ...packs.flatMap((pack, i) => packed(pack, widths[i] as number)))
  }
  return Buffer.from(bytes)
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}

test('createColumnWriter() packs integers like a plain encoder, and stores the least and greatest as bounds', () => {
  const random = randomFrom(seed)
  for (let turn = 0; turn < 150; turn++) {
    const limit = 10 ** (1 + random(9))
    const outliers = 1 + random(400)
    const sign = () => (random(2) === 0 ? -1 : 1)
    // Rare outliers, so that the least or greatest value occurs at each position of a block.
    const values = Array.from({ length: 1 + random(500) }, () =>
      BigInt(random(outliers) === 0 ? sign() * random(1_000_000_000) * 1000 : sign() * random(limit)),
    )
    const columns = [{ name: 'n', type: { kind: 'integer' } as const, nullWords: [] }]
    const { part, rowGroups } = writeColumns(`${values.join('\n')}\n`, { layout: layoutOf(1), columns })
    const [chunk] = rowGroups[0]?.chunks ?? []
    assert.ok(chunk)
    const page = plainPage(values)
    const end = chunk.dataOffset + chunk.bytes
    assert.deepEqual(part.subarray(end - page.length, end), page, `turn ${turn}`)
    const ordered = ascending(values)
    assert.deepEqual(Buffer.from(chunk.bounds?.least ?? []), int64(ordered[0] as bigint))
    assert.deepEqual(Buffer.from(chunk.bounds?.greatest ?? []), int64(ordered.at(-1) as bigint))
  }
})

// Patterns testing: matches texts in the module, and counts what it asks of the host. Knows no oracle.
import { ColumnsMemory } from '../memory/columns-memory.ts'
import { columnsModule } from '../memory/columns-module.ts'
import { compilePattern } from './pattern.ts'

const textBytesMax = 1 << 20
const encoder = new TextEncoder()

export interface Matcher {
  readonly matches: (text: string) => boolean
  /** Rows that the host computed so far. */
  readonly hostCalls: () => number
  readonly blockBytes: number
}

/** A later one takes its memory. */
const memory = new ColumnsMemory(columnsModule())

/** @param budget Of the block, in bytes. */
export function matcherOf(source: string, budget = 65_536): Matcher {
  const pattern = compilePattern(source)
  const blockBytes = pattern.blockBytes(budget)
  memory.configure(blockBytes + textBytesMax, 1, 1)
  memory.placePattern(pattern, memory.windowAt, blockBytes)
  const guard = memory.windowAt + blockBytes
  memory.bytes.fill(0xee, guard, guard + 64)
  let calls = 0
  const nextRow = pattern.nextRow.bind(pattern)
  pattern.nextRow = (...given) => {
    calls++
    return nextRow(...given)
  }
  const textAt = guard + 64
  return {
    matches: (text) => {
      const { written } = encoder.encodeInto(text, memory.bytes.subarray(textAt, textAt + textBytesMax))
      const isMatch = memory.exports.matchesPattern(memory.windowAt, textAt, textAt + written) === 1
      if (memory.bytes.subarray(guard, textAt).some((byte) => byte !== 0xee)) throw new Error('written past the block')
      return isMatch
    },
    hostCalls: () => calls,
    blockBytes,
  }
}

// Reject positions: what a receipt must say of where its rejects are, computed from all of them and the length of the text.
import type { RejectPositions, RejectPreview } from '../../src/core/receipt.ts'

export function positionsOf(
  rejects: readonly Pick<RejectPreview, 'byteOffset' | 'reason'>[],
  textBytes: number,
): RejectPositions | undefined {
  if (rejects.length === 0) return undefined
  const bucketBytes = 2 ** Math.ceil(Math.log2(Math.max(1, textBytes / 200)))
  const byRange = Map.groupBy(rejects, ({ byteOffset }) => Math.floor(byteOffset / bucketBytes))
  const buckets = [...byRange].map(([at, some]) => {
    const byReason = Map.groupBy(some, ({ reason }) => reason)
    return { at, reasons: Object.fromEntries([...byReason].map(([reason, { length }]) => [reason, length])) }
  })
  return { bucketBytes, buckets }
}

// Reject ticks: where the rejects of a file lie, as ticks of its strip. Knows no element.
import type { Receipt, RejectPositions } from '../api.ts'
import type { Tick } from './strip.tsx'

interface TextFile {
  readonly bytes: number
  readonly compression?: { readonly bytes: number } | null
}

export function ticksOf(
  file: TextFile,
  positions: RejectPositions | undefined,
  kind: NonNullable<Tick['kind']>,
): readonly Tick[] {
  if (positions === undefined) return []
  const size = file.compression?.bytes ?? file.bytes
  return positions.at.map((bucket) => ({ at: Math.min(1, ((bucket + 0.5) * positions.bucketBytes) / size), kind }))
}

/** Those of a receipt, which has the reasons as well. */
export function receiptTicks({ file, records, rejects: { positions } }: Receipt): readonly Tick[] {
  const at = positions?.buckets.map((bucket) => bucket.at) ?? []
  const found = positions === undefined ? undefined : { bucketBytes: positions.bucketBytes, at }
  return ticksOf(file, found, records.accepted === 0 ? 'bad' : 'tick')
}

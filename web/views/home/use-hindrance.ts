// Use hindrance: why a file cannot be sent, as far as that is known in advance: permission, size, quota. Knows no element.
import type { Caller } from '../../api.ts'
import { useCaller } from '../../caller.ts'
import { bytes } from '../../format.ts'
import { t } from '../../texts.ts'

/** A sentence; null if no obstacle is known. */
export function useHindrance({ size }: { readonly size: number }): string | null {
  const { caller } = useCaller()
  return caller === null ? null : hindranceOf(caller, size)
}

export function hindranceOf({ scopes, limits, bytes: stored, datasets }: Caller, size: number): string | null {
  if (!scopes.includes('upload')) return t.mayNotSend
  if (size > limits.fileBytesMax) return t.tooLarge(bytes(limits.fileBytesMax))
  const left = (stored.max ?? Number.POSITIVE_INFINITY) - stored.used
  if (size > left) return t.quotaLeft(bytes(Math.max(0, left)))
  return datasets.max !== null && datasets.used >= datasets.max ? t.noDatasetLeft : null
}

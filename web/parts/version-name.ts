// Version name: what tells a version of a file from the others, and more about it.
import type { ListedDataset } from '../api.ts'
import { count } from '../format.ts'
import { t } from '../texts.ts'

export function versionName({ origin, corrections }: ListedDataset): readonly [name: string, more: string] {
  if (corrections !== undefined) return [t.versionKinds.corrected, t.mended(count(corrections.count))]
  return [t.versionKinds[origin?.kind ?? 'detected'], '']
}

// Format amounts: sizes, times and counts, rounded for humans. src/core/units.ts formats them exactly.

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `87.3 MB`: powers of 1024, as everywhere in this project. */
export function shownBytes(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1_024 ** power
  return `${power === 0 || amount >= 99.95 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`
}

/** `850 ms`, `4.7 s`, `3 m 12 s`, `2 h 05 m`. */
export function shownTime(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const pad = (count: number) => String(count).padStart(2, '0')
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`
  return `${Math.floor(seconds / 3_600)} h ${pad(Math.floor(seconds / 60) % 60)} m`
}

/** `10,500,000`. */
export function shownCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${shownCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** `2026-11-20 21:11:21Z`. */
export function shownMoment(epochMs: number): string {
  const moment = new Date(epochMs)
  if (Number.isNaN(moment.getTime())) return '-'
  return moment.toISOString().replace('T', ' ').replace(/\.\d+/, '')
}

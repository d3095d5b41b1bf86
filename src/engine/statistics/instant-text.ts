// Instant text: instants and durations, in microseconds, as text. Knows nothing of where they come from.

const microsecondsPerDay = 86_400_000_000

/**
 * An instant as a page of rows shows it: `2024-01-31`, `2024-01-31 10:20:30.5`, or `2024-01-31T10:20:30.5Z`. A date
 * that is not the start of a day, such as a mean of dates, includes its time.
 *
 * @param microseconds Since 1970-01-01.
 */
export function instantText(kind: 'date' | 'timestamp' | 'timestamptz', microseconds: bigint): string {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = (microseconds - fraction) / 1_000_000n
  const [day = '', time = ''] = new Date(Number(seconds) * 1000).toISOString().slice(0, -5).split('T')
  const digits = String(fraction).padStart(6, '0').replace(/0+$/, '')
  const exact = digits === '' ? time : `${time}.${digits}`
  if (kind === 'timestamptz') return `${day}T${exact}Z`
  return kind === 'date' && exact === '00:00:00' ? day : `${day} ${exact}`
}

/** A duration as Python writes one, which the dataset viewer does: `1 day, 2:03:04.500000`. */
export function durationText(microseconds: number): string {
  const days = Math.floor(microseconds / microsecondsPerDay)
  const rest = microseconds - days * microsecondsPerDay
  const seconds = Math.floor(rest / 1_000_000)
  const two = (count: number) => String(count).padStart(2, '0')
  const time = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const fraction = rest % 1_000_000
  const exact = fraction === 0 ? time : `${time}.${String(fraction).padStart(6, '0')}`
  return days === 0 ? exact : `${days} day${days === 1 ? '' : 's'}, ${exact}`
}

// Strip: a file from its first byte to its last: what is read of it, its header, and a tick where each reject lies.
// Knows no dataset.

export interface Tick {
  /** Place in the file, from 0 to 1. */
  readonly at: number
  readonly kind?: 'tick' | 'bad'
}

interface StripProps {
  /** Says what the strip shows. */
  readonly label: string
  /** Share of the file that is read, from 0 to 1. */
  readonly read?: number
  /** Share of the header. */
  readonly header?: number
  readonly ticks?: readonly Tick[]
  readonly isMini?: boolean
}

const width = 1000
/** In a mini strip, more ticks than these would cover it. */
const miniSlots = 16

export function Strip({ label, read = 1, header = 0, ticks = [], isMini = false }: StripProps) {
  const [top, height] = isMini ? [5, 4] : [4, 6]
  const rect = (name: string, share: number) =>
    share > 0 && <rect class={name} y={top} width={Math.max(isMini ? 20 : 3, share * width)} height={height} />
  const slots = isMini ? miniSlots : width
  const path = (from: number, to: number, kind?: Tick['kind']) => {
    const shown = ticks.filter((tick) => kind === undefined || (tick.kind ?? 'tick') === kind)
    const places = new Set(shown.map(({ at }) => (Math.round(at * slots) * width) / slots))
    return [...places].map((place) => `M${place} ${from}V${to}`).join('')
  }
  return (
    <svg
      class={`strip ${isMini ? 'mini' : ''}`}
      viewBox={`0 0 ${width} 14`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect class="bed" y={top} width={width} height={height} />
      {rect('read', read)}
      {rect('head', header)}
      {ticks.length > 0 && <path class="gap" d={path(top, top + height)} />}
      {(['tick', 'bad'] as const).map((kind) => {
        const d = path(0, 14, kind)
        return d !== '' && <path key={kind} class={kind === 'tick' ? kind : `tick ${kind}`} d={d} />
      })}
    </svg>
  )
}

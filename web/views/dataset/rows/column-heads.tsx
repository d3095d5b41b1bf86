// Column heads: name, type, share of nulls, a plot and its ends for each column in view. A plot opens the inspector.
import type { Receipt } from '../../../api.ts'
import { percent } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { barsPath, chosenOf, endsOf, type Shape } from './column-shape.ts'
import { type GridColumn, HeadCell, type HeadPlace } from './grid-row.tsx'
import { orderOf, type RowView } from './row-view.ts'
import { type MeasuredColumn, useMatches } from './use-profile.ts'

interface ColumnHeadsProps {
  readonly receipt: Receipt
  readonly view: RowView
  readonly profile: ReadonlyMap<string, MeasuredColumn>
  readonly columns: readonly GridColumn[]
  readonly place: HeadPlace
  readonly onSort: (column: string) => void
  readonly onOpen: (column: string) => void
}

export function ColumnHeads({ receipt, view, profile, columns, place, onSort, onOpen }: ColumnHeadsProps) {
  const matches = useMatches(
    receipt,
    view,
    columns.map(({ name }) => profile.get(name)?.shape),
  )
  const { accepted } = receipt.records
  return columns.map(({ name, type, nulls = 0 }, index) => {
    const measured = profile.get(name)
    const filter = chosenOf(view.filters, name)
    const ends = measured === undefined ? [] : endsOf(measured.statistics, measured.shape, filter)
    const found = matches?.get(name)
    const about = ends.join(', ')
    return (
      <HeadCell
        key={name}
        name={name}
        type={type}
        note={nulls > 0 && accepted > 0 ? t.shareNull(percent(nulls / accepted)) : ''}
        place={place}
        index={index}
        order={orderOf(view.sort, name)}
        isChosen={view.column === name}
        onSort={() => onSort(name)}
      >
        <button
          type="button"
          class={measured === undefined ? 'plot waiting' : 'plot'}
          tabIndex={-1}
          title={about}
          aria-expanded={view.column === name}
          onClick={() => onOpen(name)}
        >
          <span class="hidden">{t.openColumn(name, about)}</span>
          {measured !== undefined && (
            <ShapePlot shape={measured.shape} matches={found} chosen={filter?.operator === 'in' ? filter.values : []} />
          )}
        </button>
        <span class="ends" aria-hidden="true">
          {ends.map((end, at) => (
            <span key={at}>{end}</span>
          ))}
        </span>
      </HeadCell>
    )
  })
}

/** More would be too narrow to be told apart. */
const labelsMax = 6

interface ShapePlotProps {
  readonly shape: Shape
  /** How many of the rows in each bin match; undefined for all rows. */
  readonly matches: readonly number[] | undefined
  readonly chosen: readonly string[]
}

/** Pale for all rows and solid for those that match, each to its own height. */
function ShapePlot({ shape, matches, chosen }: ShapePlotProps) {
  if (shape.kind === 'bins') {
    return (
      <svg viewBox={`0 0 ${shape.counts.length} 20`} preserveAspectRatio="none" aria-hidden="true">
        <path class={matches === undefined ? undefined : 'all'} d={barsPath(shape.counts)} />
        {matches !== undefined && <path d={barsPath(matches)} />}
      </svg>
    )
  }
  if (shape.kind === 'different') {
    return (
      <span class="segs" aria-hidden="true">
        <span class="flat">
          <b>{shape.text}</b>
        </span>
      </span>
    )
  }
  const shown = shape.labels.slice(0, labelsMax)
  const others = shape.labels.slice(labelsMax).reduce((sum, [, times]) => sum + times, 0)
  return (
    <span class="segs" aria-hidden="true">
      {shown.map(([value, times]) => (
        <span key={value} class={chosen.includes(value) ? 'on' : undefined} style={{ flexGrow: times }}>
          {value.slice(0, 20)}
        </span>
      ))}
      {others > 0 && <span class="flat" style={{ flexGrow: others }} />}
    </span>
  )
}

// Columns tab: each column in figures and as a plot. Knows how to show statistics; the service computes them.
import { type ColumnStatistics, getProfile, type Receipt } from '../../api.ts'
import { count, figure, percent } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { type Bar, Plot } from '../../parts/plot.tsx'
import { t } from '../../texts.ts'
import { useLoaded } from '../../use-loaded.ts'
import { type Filter, rowsHref } from './rows/row-view.ts'

export function ColumnsTab({ receipt: { id, columns } }: { readonly receipt: Receipt }) {
  const loaded = useLoaded((signal) => getProfile(id, signal), [id])
  if (loaded.state === 'failed') return <Failure error={loaded.error} />
  if (loaded.state === 'loading') return <p class="quiet">{t.loading}</p>
  return (
    <div class="profile">
      {loaded.value.statistics.map((column, index) => (
        <ColumnCard
          key={column.column_name}
          id={id}
          column={column}
          type={columns[index]?.type ?? column.column_type}
        />
      ))}
    </div>
  )
}

interface ColumnCardProps {
  readonly id: string
  readonly column: ColumnStatistics
  readonly type: string
}

function ColumnCard({ id, column, type }: ColumnCardProps) {
  const { column_name: name, column_type: kind, column_statistics: of } = column
  // For texts, these figures are about their lengths.
  const isLength = kind === 'string_text'
  const about = of.approximate ?? []
  const figures: readonly (readonly [string, string, unknown])[] = [
    ['n_unique', t.distinct, of.n_unique],
    ['min', isLength ? t.shortest : t.min, of.min],
    ['max', isLength ? t.longest : t.max, of.max],
    ['mean', isLength ? t.meanLength : t.mean, meanOf(of.mean, isLength, type)],
    ['median', isLength ? t.medianLength : t.median, of.median],
  ]
  return (
    <section class="column">
      <h2>
        <span class="name">{name}</span> <span class="quiet">{type}</span>
      </h2>
      <Plot name={name} bars={barsOf(id, column)} />
      <dl class="facts">
        <div>
          <dt>{t.nulls}</dt>
          <dd>
            {count(of.nan_count)} <span class="quiet">{percent(of.nan_proportion)}</span>
          </dd>
        </div>
        {figures
          .filter(([, , value]) => value !== undefined && value !== null)
          .map(([key, label, value]) => (
            <div key={key}>
              <dt>{label}</dt>
              <dd>
                {shown(value)}{' '}
                {about.includes(key) && (
                  <span class="quiet">
                    {key === 'n_unique' ? `± ${percent(of.n_unique_error ?? 0)}` : t.approximate}
                  </span>
                )}
              </dd>
            </div>
          ))}
      </dl>
    </section>
  )
}

/** For lengths in characters, hundredths suffice; points in time are exact to the microsecond, which no reader needs. */
function meanOf(mean: unknown, isLength: boolean, type: string): unknown {
  if (isLength && typeof mean === 'number') return Math.round(mean * 100) / 100
  if (isLength || typeof mean !== 'string') return mean
  return type === 'date' ? mean.slice(0, 10) : mean.replace(/\.\d+/, '')
}

/** The histogram or the frequent values of a column, each bar with the rows that it counts. */
function barsOf(id: string, { column_name: column, column_type: kind, column_statistics }: ColumnStatistics) {
  const { histogram, frequencies } = column_statistics
  // For texts, histograms are about their lengths.
  const isLength = kind === 'string_text'
  const bar = (label: string, times: number, filters: readonly Filter[]): Bar => ({
    label,
    count: times,
    href: rowsHref(id, { filters, sort: null }),
  })
  if (!histogram) {
    return Object.entries(frequencies ?? {}).map(([value, times]) =>
      bar(value, times, [{ column, operator: '=', value }]),
    )
  }
  const { hist, bin_edges: edges } = histogram
  return hist.map((times, index) => {
    const [from, to] = [edges[index], edges[index + 1]]
    const isLast = index === hist.length - 1
    const length = isLength ? { isLength } : {}
    const label = from === to ? shown(from) : `${shown(from)} – ${shown(to)}`
    return bar(label, times, [
      { column, operator: '>=', value: String(from), ...length },
      { column, operator: isLast ? '<=' : '<', value: String(to), ...length },
    ])
  })
}

function shown(value: unknown): string {
  return typeof value === 'number' ? figure(value) : String(value)
}

// Inspector: all that is known of one column, and what can be done with it: filter, hide, and read it another way.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Receipt, runQuery } from '../../../api.ts'
import { count, isNumeric, percent, shownFigure, shownName } from '../../../format.ts'
import { Button, Choice, Field } from '../../../parts/controls.tsx'
import { Spoken } from '../../../parts/spoken.tsx'
import { datasetHref } from '../../../router.ts'
import { whySentence } from '../../../sentences.ts'
import { t } from '../../../texts.ts'
import { useLoaded } from '../../../use-loaded.ts'
import {
  areReversed,
  barsFilter,
  barsPath,
  binsOf,
  chosenOf,
  endsSet,
  isChosen,
  isComparable,
  rangeFilter,
  type Shape,
  shownValue,
  typedValue,
} from './column-shape.ts'
import { operatorNames } from './filter-bar.tsx'
import { type Filter, type Operator, type RowView, sumSql, topValuesSql, wholeFile } from './row-view.ts'
import type { MeasuredColumn } from './use-profile.ts'

interface InspectorProps {
  readonly receipt: Receipt
  readonly view: RowView
  readonly profile: ReadonlyMap<string, MeasuredColumn>
  readonly onChange: (change: Partial<RowView>) => void
}

export function Inspector({ receipt, view, profile, onChange }: InspectorProps) {
  const index = receipt.columns.findIndex(({ name }) => name === view.column)
  const column = receipt.columns[index]
  if (column === undefined) return null
  const { name, type } = column
  const measured = profile.get(name)
  const bins = measured === undefined ? null : binsOf(measured.statistics)
  const chosen = chosenOf(view.filters, name)
  const choose = (next: Filter | null) =>
    onChange({ filters: [...view.filters.filter((one) => one !== chosen), ...(next === null ? [] : [next])] })
  const add = (next: Filter) => onChange({ filters: [...view.filters, next] })
  const readAgain = `${datasetHref(receipt.id, 'read')}?${encodeURIComponent(name)}`
  return (
    <SidePanel key={name} title={name} label={t.columnNamed(name)} onClose={() => onChange({ column: null })}>
      <p class="small quiet">
        <Spoken sentence={whySentence(receipt, index)} />
      </p>
      {bins !== null && <Histogram shape={bins} chosen={chosen} onChoose={choose} />}
      {measured !== undefined && bins?.bins.isLength !== false && (
        <Values id={receipt.id} name={name} shape={measured.shape} chosen={chosen} onChoose={choose} />
      )}
      <ConditionForm name={name} type={type} onAdd={add} />
      {measured !== undefined && <Facts receipt={receipt} name={name} type={type} measured={measured} />}
      <div class="row">
        {[t.changeType, t.renameColumn, t.addRule].map((label) => (
          <a key={label} class="btn small" href={readAgain}>
            {label}
          </a>
        ))}
        <Button
          text={t.hideColumn}
          look="small ghost"
          disabled={receipt.columns.length - view.hidden.length < 2}
          onClick={() => onChange({ column: null, hidden: [...view.hidden, name] })}
        />
      </div>
      <p class="small quiet">{t.newVersion}</p>
    </SidePanel>
  )
}

interface SidePanelProps {
  readonly title: string
  readonly label: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** What stands beside the rows. It takes the focus when it opens, and gives it back to them. */
export function SidePanel({ title, label, onClose, children }: SidePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (document.activeElement !== document.body) heading.current?.focus()
  }, [])
  const close = () => {
    document.querySelector<HTMLElement>('.grid')?.focus()
    onClose()
  }
  return (
    <aside class="inspector sheet" aria-label={label} onKeyDown={({ key }) => key === 'Escape' && close()}>
      <div class="row">
        <h2 class="name grow" tabIndex={-1} ref={heading}>
          {shownName(title)}
        </h2>
        <Button text={t.close} icon="close" look="ghost icon-only" onClick={close} />
      </div>
      {children}
    </aside>
  )
}

interface ChoiceProps {
  /** The filter that the plot shows. */
  readonly chosen: Filter | undefined
  readonly onChoose: (filter: Filter | null) => void
}

interface HistogramProps extends ChoiceProps {
  readonly shape: Shape & { readonly kind: 'bins' }
}

/** Bars of all rows; dragging over them sets what the two fields below set. */
function Histogram({ shape: { counts, bins }, chosen, onChoose }: HistogramProps) {
  const [dragged, setDragged] = useState<readonly [from: number, to: number] | null>(null)
  const [first = '', last = ''] = [bins.edges[0], bins.edges.at(-1)]
  const type = Number.isNaN(Number(first)) ? 'date' : 'number'
  const shownEnds = () => endsSet(chosen).map((end) => shownValue(end, type)) as [from: string, to: string]
  const [ends, setEnds] = useState(shownEnds)
  // Not by a key: the field that the focus goes to next would be another one.
  useLayoutEffect(() => {
    setEnds(shownEnds)
    setDragged(null)
  }, [JSON.stringify(chosen)])
  const isValid = (end: string) => end === '' || isComparable(end, type)
  const typed = [typedValue(ends[0], type), typedValue(ends[1], type)] as const
  const problem = !typed.every(isValid) ? wantedText(type) : areReversed(typed) ? t.fromAfterTo : ''
  const [from, to] = [Math.min(...(dragged ?? [])), Math.max(...(dragged ?? []))]
  const isOn = (at: number) =>
    dragged === null ? chosen === undefined || isChosen(bins, at, chosen) : at >= from && at <= to
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (problem === '') onChoose(rangeFilter(bins, ...typed))
      }}
    >
      <figure
        role="img"
        aria-label={t.histogramOf(first, last)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDragged([barAt(event, counts.length), barAt(event, counts.length)])
        }}
        onPointerMove={(event) => dragged !== null && setDragged([dragged[0], barAt(event, counts.length)])}
        onPointerUp={() => dragged && onChoose(barsFilter(bins, from, to))}
        onPointerCancel={() => setDragged(null)}
      >
        <svg viewBox={`0 0 ${counts.length} 20`} preserveAspectRatio="none" aria-hidden="true">
          <path class="off" d={barsPath(counts)} />
          <path class="on" d={barsPath(counts, isOn)} />
        </svg>
      </figure>
      <p class="ends">
        <span>{shownFigure(first)}</span>
        {chosen !== undefined && <span>{t.paleOutside}</span>}
        <span>{shownFigure(last)}</span>
      </p>
      <div class="row fields">
        {(bins.isLength ? [t.lengthFrom, t.lengthTo] : [t.from, t.to]).map((label, at) => (
          <Field
            key={label}
            caption={label}
            size={8}
            inputMode={type === 'date' ? 'text' : 'decimal'}
            placeholder={shownValue(at === 0 ? first : last, type)}
            aria-invalid={!isValid(typed[at] ?? '')}
            value={ends[at] ?? ''}
            onInput={(value) => setEnds(at === 0 ? [value, ends[1]] : [ends[0], value])}
            onChange={({ currentTarget }) => currentTarget.form?.requestSubmit()}
          />
        ))}
      </div>
      <p class="small warn" role="status">
        {problem}
      </p>
    </form>
  )
}

function barAt(event: PointerEvent & { readonly currentTarget: Element }, bars: number): number {
  const { left, width } = event.currentTarget.getBoundingClientRect()
  return Math.max(0, Math.min(bars - 1, Math.floor(((event.clientX - left) / width) * bars)))
}

function wantedText(type: string): string {
  return isNumeric(type) ? t.wantedNumber : type === 'boolean' ? t.wantedBoolean : t.wantedDate
}

interface ValuesProps extends ChoiceProps {
  readonly id: string
  readonly name: string
  readonly shape: Shape
}

/** Few values, or the most frequent of many, each to press; several that are pressed are one filter. */
function Values({ id, name, shape, chosen, onChoose }: ValuesProps) {
  const isKnown = shape.kind === 'labels'
  const { value: top } = useLoaded(
    async (signal) => (isKnown ? null : await runQuery(id, topValuesSql(name), signal)),
    [id],
  )
  const values = isKnown
    ? shape.labels
    : (top?.rows ?? []).map(([value, times]) => [String(value), Number(times)] as const)
  const most = Math.max(1, ...values.map(([, times]) => times))
  const pressed = chosen?.operator === 'in' ? chosen.values : []
  const press = (value: string) => {
    const next = pressed.includes(value) ? pressed.filter((one) => one !== value) : [...pressed, value]
    onChoose(next.length === 0 ? null : { column: name, operator: 'in', values: next })
  }
  return (
    <ul class="values" aria-label={isKnown ? t.values : t.mostFrequent}>
      {values.map(([value, times]) => (
        <li key={value}>
          <button type="button" aria-pressed={pressed.includes(value)} onClick={() => press(value)}>
            <span class="name">{value === '' ? '""' : value.slice(0, 80)}</span>
            <span class="quiet">{count(times)}</span>
            <i style={{ width: `${(100 * times) / most}%` }} />
          </button>
        </li>
      ))}
    </ul>
  )
}

interface ConditionFormProps {
  readonly name: string
  readonly type: string
  readonly onAdd: (filter: Filter) => void
}

function ConditionForm({ name, type, onAdd }: ConditionFormProps) {
  const [operator, setOperator] = useState<Operator>(type === 'text' ? 'contains' : '=')
  const [text, setText] = useState('')
  const value = typedValue(text, type)
  const needsValue = operator !== 'null' && operator !== 'notNull'
  const isValid = !needsValue || operator === 'contains' || isComparable(value, type)
  return (
    <form
      class="row fields"
      onSubmit={(event) => {
        event.preventDefault()
        if (isValid) onAdd({ column: name, operator, values: needsValue ? [value] : [] })
        if (isValid) setText('')
      }}
    >
      <Choice label={t.condition} value={operator} options={operatorNames} onChange={setOperator} />
      <Field
        size={8}
        label={t.filterValue}
        disabled={!needsValue}
        aria-invalid={value !== '' && !isValid}
        value={text}
        onInput={setText}
      />
      <Button type="submit" text={t.filter} />
      <span class="small warn" role="status">
        {value !== '' && !isValid && wantedText(type)}
      </span>
    </form>
  )
}

interface FactsProps {
  readonly receipt: Receipt
  readonly name: string
  readonly type: string
  readonly measured: MeasuredColumn
}

function Facts({ receipt: { id, records }, name, type, measured: { statistics } }: FactsProps) {
  const { column_type: kind, column_statistics: of } = statistics
  const { value: sum } = useLoaded(
    async (signal) =>
      isNumeric(type)
        ? (await runQuery(id, sumSql(wholeFile, [name], 0, records.accepted), signal)).rows[0]?.[0]
        : null,
    [id],
  )
  // For texts, these figures are about their lengths.
  const isLength = kind === 'string_text'
  // Nobody reads the microseconds of a mean.
  const shown = (value: unknown) => shownFigure(kind === 'datetime' ? String(value).replace(/\.\d+/, '') : value)
  const about = (key: string) => (of.approximate?.includes(key) ? `${t.about} ` : '')
  const facts: readonly (readonly [label: string, value: unknown, before?: string, after?: string])[] = [
    [t.distinct, of.n_unique, about('n_unique')],
    [t.nulls, of.nan_count, of.nan_count === 0 ? '' : `${percent(of.nan_proportion)} · `],
    [isLength ? t.shortest : t.min, of.min],
    [isLength ? t.longest : t.max, of.max],
    [isLength ? t.meanLength : t.mean, of.mean],
    [isLength ? t.medianLength : t.median, of.median, about('median')],
    [t.middleHalf, of.q25, about('q25'), ` – ${shown(of.q75)}`],
    [t.deviation, of.std],
    [t.sum, sum],
  ]
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .flatMap(([label, value, before = '', after = '']) => [
          <dt key={label}>{label}</dt>,
          <dd key={`${label} value`}>{`${before}${shown(value)}${after}`}</dd>,
        ])}
    </dl>
  )
}

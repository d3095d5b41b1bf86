// Selectable list: datasets of which some can be selected, and what can be done with those; says why a list is missing.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ListedDataset } from '../api.ts'
import { bytes, count, shownName } from '../format.ts'
import { t } from '../texts.ts'
import type { Outcome } from '../trash.ts'
import type { useList } from '../use-list.ts'
import { Box, Button } from './controls.tsx'
import { Failure } from './failure.tsx'
import { type ListColumn, type ListRow, type Sort, VirtualList } from './virtual-list.tsx'

/** Something that can be done with selected datasets. */
export interface ListAction {
  readonly label: string
  readonly look?: string
  /** Asked before, for what cannot be undone. */
  readonly question?: string
  run(selected: readonly ListedDataset[]): Promise<Outcome>
}

interface SelectableListProps {
  readonly label: string
  readonly columns: readonly ListColumn[]
  readonly list: ReturnType<typeof useList>
  /** The versions that are shown below an entry. */
  versionsOf?(entry: ListedDataset): readonly ListRow[]
  readonly sort: Sort
  onSort(sort: Sort): void
  readonly actions: readonly ListAction[]
  /** Shown while nothing is selected. */
  readonly tools: ComponentChildren
  /** Said of a list without entries. */
  readonly empty: string
}

/** As many as are drawn before the first page is there. */
const skeletonRows = 8

export function SelectableList(props: SelectableListProps) {
  const { label, columns, list, versionsOf, sort, onSort, actions, tools, empty } = props
  const [selected, select] = useState<ReadonlyMap<string, ListedDataset>>(new Map())
  const { entries, total, error } = list
  const rows = (entries ?? []).flatMap((entry) => [entry, ...(versionsOf?.(entry) ?? [])])
  const toggle = (concerned: readonly ListedDataset[], isOn: boolean) => {
    const ids = new Set(concerned.map(({ id }) => id))
    const others = [...selected].filter(([id]) => !ids.has(id))
    select(new Map(isOn ? others : [...others, ...concerned.map((one) => [one.id, one] as const)]))
  }
  const box = (concerned: readonly ListedDataset[], name: string) => {
    const isOn = concerned.length > 0 && concerned.every(({ id }) => selected.has(id))
    return <Box label={name} isOn={isOn} onChange={() => toggle(concerned, isOn)} />
  }
  return (
    <section class="dataset-list" aria-label={label}>
      {selected.size === 0 ? (
        tools
      ) : (
        <SelectionBar
          selected={[...selected.values()]}
          actions={actions}
          onDone={(gone) => {
            list.remove(gone)
            select(new Map())
          }}
        />
      )}
      {error !== null && (
        <div class="row">
          <Failure error={error} />
          <Button text={t.retry} onClick={list.retry} />
        </div>
      )}
      {entries?.length === 0 && <p class="empty">{empty}</p>}
      {(error === null || entries !== null) && entries?.length !== 0 && (
        <div class="frame">
          <VirtualList
            label={label}
            columns={columns}
            rows={rows}
            rowCount={entries === null ? skeletonRows : total + rows.length - entries.length}
            isPicked={(id) => selected.has(id)}
            sort={sort}
            onSort={onSort}
            onReach={list.reach}
            box={(row) => {
              if (row === null) return box(entries ?? [], t.selectAll)
              return !row.isVersion && box([row], t.select(shownName(row.file.name) || row.id))
            }}
          />
        </div>
      )}
    </section>
  )
}

interface SelectionBarProps {
  readonly selected: readonly ListedDataset[]
  readonly actions: readonly ListAction[]
  /** Called with those that are gone, and with none if the user lets go. */
  onDone(gone: ReadonlySet<string>): void
}

function SelectionBar({ selected, actions, onDone }: SelectionBarProps) {
  const [asked, ask] = useState<ListAction | null>(null)
  const [error, setError] = useState<unknown>(null)
  const run = async (action: ListAction) => {
    ask(null)
    const { gone, failure } = await action.run(selected)
    setError(failure)
    if (failure === null) onDone(gone)
  }
  return (
    <>
      <section class="toolbar" aria-label={t.selection}>
        <b class="strong">{t.selectedCount(count(selected.length))}</b>
        <span class="quiet small">{bytes(selected.reduce((sum, { file }) => sum + file.bytes, 0))}</span>
        <span class="grow" />
        {actions.map((action) => (
          <Button
            key={action.label}
            text={action.label}
            look={action.look ?? ''}
            onClick={() => (action.question === undefined ? void run(action) : ask(action))}
          />
        ))}
        <Button text={t.clear} look="ghost" onClick={() => onDone(new Set())} />
      </section>
      {asked !== null && (
        <dialog
          class="dialog"
          aria-label={asked.label}
          ref={(dialog) => {
            if (dialog?.open === false) dialog.showModal()
          }}
          onClose={() => ask(null)}
        >
          <p>{asked.question}</p>
          <span class="row">
            <Button text={t.keep} onClick={() => ask(null)} />
            <Button text={asked.label} look="danger" onClick={() => void run(asked)} />
          </span>
        </dialog>
      )}
      {error !== null && <Failure error={error} />}
    </>
  )
}

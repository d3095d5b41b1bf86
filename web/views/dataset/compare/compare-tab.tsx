// Compare tab: what changed from another dataset, or another reading, to this one, by a key that the user picks.
import { useState } from 'preact/hooks'
import { getReceipt, listDatasets, type Receipt, runQuery } from '../../../api.ts'
import { count, moment } from '../../../format.ts'
import { Failure } from '../../../parts/failure.tsx'
import { compareHref } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { useLoaded } from '../../../use-loaded.ts'
import { ChangeTable } from './change-table.tsx'
import { ColumnChanges } from './column-changes.tsx'
import { type Ask, compareDatasets, TooManyDifferences } from './compare-datasets.ts'

interface CompareTabProps {
  readonly receipt: Receipt
  /** The id of the other dataset; empty while none is chosen. */
  readonly otherId: string
}

export function CompareTab({ receipt, otherId }: CompareTabProps) {
  const isChosen = /^[0-9a-f]{32}$/.test(otherId)
  return (
    <>
      <OtherChoice receipt={receipt} otherId={isChosen ? otherId : ''} />
      {isChosen ? <Chosen key={otherId} receipt={receipt} otherId={otherId} /> : <p class="quiet">{t.compareHint}</p>}
    </>
  )
}

function OtherChoice({ receipt, otherId }: CompareTabProps) {
  const [name, setName] = useState('')
  const loaded = useLoaded((signal) => listDatasets(name, null, signal), [name])
  if (loaded.state === 'failed') return <Failure error={loaded.error} />
  const others = loaded.state === 'loaded' ? loaded.value.datasets.filter(({ id }) => id !== receipt.id) : []
  return (
    <div class="fields choice">
      <label class="field">
        {t.search}
        <input type="search" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <label class="field">
        {t.compareWith}
        <select
          value={otherId}
          onChange={({ currentTarget: { value } }) => {
            location.hash = compareHref(receipt.id, value)
          }}
        >
          <option value="">{t.chooseDataset}</option>
          {otherId !== '' && others.every(({ id }) => id !== otherId) && <UnlistedOption id={otherId} />}
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {titleOf(other)}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** The chosen dataset, if it is not among the first that were found. */
function UnlistedOption({ id }: { readonly id: string }) {
  const loaded = useLoaded((signal) => getReceipt(id, signal), [id])
  return <option value={id}>{loaded.state === 'loaded' ? titleOf(loaded.value) : id}</option>
}

function titleOf({ id, file, createdAt, records }: Pick<Receipt, 'id' | 'file' | 'createdAt' | 'records'>): string {
  return `${file.name} · ${moment(createdAt)} · ${count(records.accepted)} · ${id.slice(0, 8)}`
}

function Chosen({ receipt, otherId }: CompareTabProps) {
  const loaded = useLoaded((signal) => getReceipt(otherId, signal), [otherId])
  if (loaded.state === 'failed') return <Failure error={loaded.error} />
  if (loaded.state === 'loading') return <p class="quiet">{t.loading}</p>
  const other = loaded.value
  const names = new Set(other.columns.map(({ name }) => name))
  const common = receipt.columns.map(({ name }) => name).filter((name) => names.has(name))
  return (
    <>
      <ColumnChanges before={other.columns} after={receipt.columns} />
      {common.length === 0 ? <p>{t.noCommonColumns}</p> : <ByKey receipt={receipt} other={other} common={common} />}
    </>
  )
}

interface ByKeyProps {
  readonly receipt: Receipt
  readonly other: Receipt
  /** Columns that both have. */
  readonly common: readonly string[]
}

function ByKey({ receipt, other, common }: ByKeyProps) {
  const [key, setKey] = useState(common[0] ?? '')
  return (
    <>
      <label class="field key-field">
        {t.compareKey}
        <select value={key} onChange={({ currentTarget }) => setKey(currentTarget.value)}>
          {common.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Changes key={key} receipt={receipt} other={other} common={common} keyColumn={key} />
    </>
  )
}

interface ChangesProps extends ByKeyProps {
  readonly keyColumn: string
}

function Changes({ receipt, other, common, keyColumn }: ChangesProps) {
  const columns = common.filter((name) => name !== keyColumn)
  const asker =
    (id: string, signal: AbortSignal): Ask =>
    async (sql) =>
      (await runQuery(id, sql, signal)).rows
  const loaded = useLoaded(
    async (signal) => {
      const ask = { before: asker(other.id, signal), after: asker(receipt.id, signal) }
      return { ask, found: await compareDatasets(ask, keyColumn, columns) }
    },
    [receipt.id, other.id, keyColumn],
  )
  if (loaded.state === 'loading') return <p class="quiet">{t.comparing}</p>
  if (loaded.state === 'failed') {
    return loaded.error instanceof TooManyDifferences ? (
      <p role="alert">{t.tooManyDifferences}</p>
    ) : (
      <Failure error={loaded.error} />
    )
  }
  const { ask, found } = loaded.value
  const isSame = found.added + found.removed + found.changed === 0
  return (
    <section aria-live="polite">
      <p class="lead">
        {isSame ? t.noDifference : t.differences(count(found.added), count(found.removed), count(found.changed))}
      </p>
      {found.repeatedKeys > 0 && <p class="quiet">{t.repeatedKeys(keyColumn, count(found.repeatedKeys))}</p>}
      {!isSame && <ChangeTable ask={ask} found={found} keyColumn={keyColumn} columns={columns} />}
    </section>
  )
}

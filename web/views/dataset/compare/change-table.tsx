// Change table: the first rows that were added, removed or changed, with each value that differs.
import { count } from '../../../format.ts'
import { Failure } from '../../../parts/failure.tsx'
import { Value } from '../../../parts/value.tsx'
import { t } from '../../../texts.ts'
import { useLoaded } from '../../../use-loaded.ts'
import { type Ask, type Comparison, type Row, rowsOfKeysSql, shownMax } from './compare-datasets.ts'

interface ChangeTableProps {
  readonly ask: { readonly before: Ask; readonly after: Ask }
  readonly found: Comparison
  readonly keyColumn: string
  readonly columns: readonly string[]
}

interface Change {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: Row | null
  readonly after: Row | null
}

const signs = { added: '+', removed: '−', changed: '~' } as const

export function ChangeTable({ ask, found, keyColumn, columns }: ChangeTableProps) {
  const loaded = useLoaded(() => changesOf(ask, found, keyColumn, columns), [found])
  if (loaded.state === 'failed') return <Failure error={loaded.error} />
  if (loaded.state === 'loading') return <p class="quiet">{t.loading}</p>
  const names = { added: t.added, removed: t.removedRow, changed: t.changed }
  return (
    <>
      <section class="result" aria-label={t.changes} tabIndex={0}>
        <table class="compact changes">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{t.changes}</span>
              </th>
              {[keyColumn, ...columns].map((name) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {loaded.value.map(({ kind, before, after }, index) => (
              <tr key={index} class={kind}>
                <td>
                  <span aria-hidden="true">{signs[kind]}</span>
                  <span class="hidden">{names[kind]}</span>
                </td>
                {[keyColumn, ...columns].map((name, column) => (
                  <td key={name}>
                    <ChangedValue before={before} after={after} column={column} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {Math.max(found.added, found.removed, found.changed) > shownMax && (
        <p class="quiet">{t.firstOfEach(count(shownMax))}</p>
      )}
    </>
  )
}

interface ChangedValueProps extends Pick<Change, 'before' | 'after'> {
  readonly column: number
}

function ChangedValue({ before, after, column }: ChangedValueProps) {
  if (before === null || after === null) return <Value value={(after ?? before)?.[column]} />
  if (before[column] === after[column]) return <Value value={after[column]} />
  return (
    <>
      <del>
        <Value value={before[column]} />
      </del>{' '}
      <ins>
        <Value value={after[column]} />
      </ins>
    </>
  )
}

async function changesOf(
  ask: ChangeTableProps['ask'],
  { addedKeys, removedKeys, changedKeys }: Comparison,
  keyColumn: string,
  columns: readonly string[],
): Promise<readonly Change[]> {
  const rowsOf = (one: Ask, keys: readonly (string | null)[]) =>
    keys.length === 0 ? Promise.resolve([]) : one(rowsOfKeysSql(keyColumn, columns, keys))
  const [added, removed, before, after] = await Promise.all([
    rowsOf(ask.after, addedKeys),
    rowsOf(ask.before, removedKeys),
    rowsOf(ask.before, changedKeys),
    rowsOf(ask.after, changedKeys),
  ])
  // If a key repeats, its rows are paired in order.
  const left = Map.groupBy(before, ([key]) => key)
  return [
    ...after.map((row): Change => ({ kind: 'changed', before: left.get(row[0])?.shift() ?? null, after: row })),
    ...added.map((row): Change => ({ kind: 'added', before: null, after: row })),
    ...removed.map((row): Change => ({ kind: 'removed', before: row, after: null })),
  ]
}

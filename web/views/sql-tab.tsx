// SQL tab: a statement, its examples and history, and its result. Knows no SQL but the examples.
import { useRef, useState } from 'preact/hooks'
import { type Receipt, type RowPage, runQuery } from '../api.ts'
import { count, figure } from '../format.ts'
import { Failure } from '../parts/failure.tsx'
import { Value } from '../parts/value.tsx'
import { t } from '../texts.ts'

const historyMax = 20
const historyName = 'sql-history'

type Outcome =
  | { readonly kind: 'none' | 'running' }
  | { readonly kind: 'rows'; readonly page: RowPage; readonly tookMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }

export function SqlTab({ receipt }: { readonly receipt: Receipt }) {
  const [sql, setSql] = useState('SELECT * FROM data LIMIT 100')
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const [history, setHistory] = useState(readHistory)
  const running = useRef<AbortController>(undefined)

  const run = async (statement: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setSql(statement)
    setOutcome({ kind: 'running' })
    const startMs = performance.now()
    try {
      const page = await runQuery(receipt.id, statement, controller.signal)
      setOutcome({ kind: 'rows', page, tookMs: performance.now() - startMs })
      setHistory(remember(statement))
    } catch (error) {
      if (!controller.signal.aborted) setOutcome({ kind: 'failed', error })
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void run(sql)
  }
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(sql)
        }}
      >
        <textarea
          class="sql"
          aria-label={t.sql}
          spellcheck={false}
          rows={5}
          value={sql}
          onInput={({ currentTarget }) => setSql(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <p class="row">
          <button type="submit" disabled={outcome.kind === 'running'}>
            {t.run}
          </button>
          <span class="quiet">{t.runHint}</span>
        </p>
      </form>
      <Statements title={t.examples} statements={examplesFor(receipt)} onChoose={run} />
      {history.length > 0 && <Statements title={t.history} statements={history} onChoose={run} />}
      <section aria-live="polite">
        {outcome.kind === 'running' && <p class="quiet">{t.loading}</p>}
        {outcome.kind === 'failed' && <Failure error={outcome.error} />}
        {outcome.kind === 'rows' && <Result {...outcome} />}
      </section>
    </>
  )
}

interface StatementsProps {
  readonly title: string
  readonly statements: readonly string[]
  readonly onChoose: (statement: string) => void
}

function Statements({ title, statements, onChoose }: StatementsProps) {
  return (
    <details>
      <summary>{title}</summary>
      <ul class="list">
        {statements.map((statement) => (
          <li key={statement}>
            <button type="button" class="link" onClick={() => onChoose(statement)}>
              <code>{statement}</code>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Result({ page, tookMs }: { readonly page: RowPage; readonly tookMs: number }) {
  return (
    <>
      <p class="quiet">{t.rowCount(count(page.rows.length), figure(Math.round(tookMs)))}</p>
      {page.truncated && <p role="status">{t.truncated}</p>}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              {page.columns.map(({ name, type }, index) => (
                <th scope="col" key={index} title={type} class={isNumber(type) ? 'number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {page.rows.slice(0, 1_000).map((row, index) => (
              <tr key={index}>
                {row.map((value, column) => (
                  <td key={column} class={isNumber(page.columns[column]?.type) ? 'number' : undefined}>
                    <Value value={value} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function isNumber(type = ''): boolean {
  return /^(integer|number|decimal)/.test(type)
}

/** Statements that make sense for the columns of this dataset. */
function examplesFor({ columns }: Receipt): readonly string[] {
  const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
  const texts = columns.filter(({ type }) => type === 'text')
  const numbers = columns.filter(({ type }) => isNumber(type))
  const [group, value] = [texts[0] ?? columns[0], numbers[0]]
  return [
    'SELECT count(*) FROM data',
    'SUMMARIZE data',
    ...(group === undefined
      ? []
      : [`SELECT ${quoted(group.name)}, count(*) AS n FROM data GROUP BY ALL ORDER BY n DESC LIMIT 20`]),
    ...(group === undefined || value === undefined
      ? []
      : [
          `SELECT ${quoted(group.name)}, sum(${quoted(value.name)}) AS total FROM data GROUP BY ALL ORDER BY total DESC LIMIT 20`,
        ]),
  ]
}

function readHistory(): readonly string[] {
  const stored: unknown = JSON.parse(sessionStorage.getItem(historyName) ?? '[]')
  return Array.isArray(stored) ? stored.map(String) : []
}

function remember(statement: string): readonly string[] {
  const history = [statement, ...readHistory().filter((one) => one !== statement)].slice(0, historyMax)
  sessionStorage.setItem(historyName, JSON.stringify(history))
  return history
}

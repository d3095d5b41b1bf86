// SQL tab: a statement, its examples and history, and its result. Knows no SQL.
import { useRef, useState } from 'preact/hooks'
import { ApiError, type Receipt, type RowPage, runQuery } from '../../../api.ts'
import { Failure } from '../../../parts/failure.tsx'
import { t } from '../../../texts.ts'
import { errorPlace, withoutPlace } from './error-place.ts'
import { examplesFor } from './examples.ts'
import { readHistory, remember } from './history.ts'
import { QueryResult } from './query-result.tsx'
import { SqlEditor } from './sql-editor.tsx'

type Outcome =
  | { readonly kind: 'none' | 'running' }
  | { readonly kind: 'rows'; readonly page: RowPage; readonly sql: string; readonly tookMs: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly sql: string }

export function SqlTab({ receipt }: { readonly receipt: Receipt }) {
  const [sql, setSql] = useState('SELECT * FROM data LIMIT 100')
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const [history, setHistory] = useState(readHistory)
  const running = useRef<AbortController>(undefined)
  const [functions, loadFunctions] = useFunctions(receipt.id)

  const run = async (statement: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setSql(statement)
    setOutcome({ kind: 'running' })
    const startMs = performance.now()
    try {
      const page = await runQuery(receipt.id, statement, controller.signal)
      setOutcome({ kind: 'rows', page, sql: statement, tookMs: performance.now() - startMs })
      setHistory(remember(statement))
    } catch (error) {
      if (!controller.signal.aborted) setOutcome({ kind: 'failed', error, sql: statement })
    }
  }
  const cancel = () => {
    running.current?.abort()
    setOutcome({ kind: 'none' })
  }
  const place = outcome.kind === 'failed' && outcome.sql === sql ? errorPlace(sql, String(outcome.error)) : null
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(sql)
        }}
      >
        <SqlEditor
          sql={sql}
          columns={receipt.columns.map(({ name }) => name)}
          functions={functions}
          errorPlace={place}
          onChange={setSql}
          onRun={() => void run(sql)}
          onFocus={loadFunctions}
        />
        <p class="row">
          <button type="submit">{t.run}</button>
          {/* Beside it, not in its place: the second click of a double click would cancel. */}
          {outcome.kind === 'running' && (
            <button type="button" onClick={cancel}>
              {t.cancel}
            </button>
          )}
          <span class="quiet">{t.runHint}</span>
        </p>
      </form>
      <Statements title={t.examples} statements={examplesFor(receipt.columns)} onChoose={run} />
      {history.length > 0 && <Statements title={t.history} statements={history} onChoose={run} />}
      <section aria-live="polite">
        {outcome.kind === 'running' && <p class="quiet">{t.loading}</p>}
        {outcome.kind === 'failed' && (
          <Failure error={place === null ? outcome.error : withoutExcerpt(outcome.error)} />
        )}
        {outcome.kind === 'rows' && <QueryResult id={receipt.id} {...outcome} />}
      </section>
    </>
  )
}

/** The place is marked in the statement, so the message need not repeat it. */
function withoutExcerpt(error: unknown): unknown {
  return error instanceof ApiError ? new ApiError(error.status, withoutPlace(error.message), error.exception) : error
}

const functionsSql = `SELECT DISTINCT function_name FROM duckdb_functions()
WHERE function_type IN ('scalar', 'aggregate') AND regexp_full_match(function_name, '[a-z][a-z0-9_]*') ORDER BY ALL`

/** The functions of the service, requested when a statement is first typed. */
function useFunctions(id: string): readonly [readonly string[], () => void] {
  const [functions, setFunctions] = useState<readonly string[]>([])
  const isAsked = useRef(false)
  const load = () => {
    if (isAsked.current) return
    isAsked.current = true
    runQuery(id, functionsSql, new AbortController().signal).then(
      ({ rows }) => setFunctions(rows.map(([name]) => String(name))),
      // Columns and keywords are completed all the same.
      () => {},
    )
  }
  return [functions, load]
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

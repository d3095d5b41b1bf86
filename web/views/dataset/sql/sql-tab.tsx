// SQL tab: a statement, its examples and history, and its result. Knows no SQL.
import { useRef, useState } from 'preact/hooks'
import type { Column } from '../../../../src/core/receipt.ts'
import type { RowPage } from '../../../../src/core/responses.ts'
import { ApiError, type Receipt, runQuery } from '../../../api.ts'
import { Failure } from '../../../parts/failure.tsx'
import { t } from '../../../texts.ts'
import { useAction } from '../../../use-loaded.ts'
import { nameOf } from './complete.ts'
import { errorPlace, withoutPlace } from './error-place.ts'
import { QueryResult } from './query-result.tsx'
import { SqlEditor } from './sql-editor.tsx'

const historyMax = 20
const historyName = 'sql-history'

function storedHistory(): readonly string[] {
  return JSON.parse(sessionStorage.getItem(historyName) ?? '[]') as string[] // what remember() has written
}

function remember(statement: string): readonly string[] {
  const history = [statement, ...storedHistory().filter((one) => one !== statement)].slice(0, historyMax)
  sessionStorage.setItem(historyName, JSON.stringify(history))
  return history
}

export function SqlTab({ receipt }: { readonly receipt: Receipt }) {
  const [sql, setSql] = useState('SELECT * FROM data LIMIT 100')
  /** The statement that was run last. */
  const [asked, setAsked] = useState('')
  const [history, setHistory] = useState(storedHistory)
  const { outcome, run, cancel } = useAction<{ readonly page: RowPage; readonly tookMs: number }>()
  const [functions, loadFunctions] = useFunctions(receipt.id)

  const runStatement = (statement: string) => {
    setSql(statement)
    setAsked(statement)
    run(async (signal) => {
      const startMs = performance.now()
      const page = await runQuery(receipt.id, statement, signal)
      setHistory(remember(statement))
      return { page, tookMs: performance.now() - startMs }
    })
  }
  const place = outcome.state === 'failed' && asked === sql ? errorPlace(sql, String(outcome.error)) : null
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          runStatement(sql)
        }}
      >
        <SqlEditor
          sql={sql}
          columns={receipt.columns.map(({ name }) => name)}
          functions={functions}
          errorPlace={place}
          onChange={setSql}
          onRun={() => runStatement(sql)}
          onFocus={loadFunctions}
        />
        <p class="row">
          <button type="submit">{t.run}</button>
          {/* Beside it, not in its place: the second click of a double click would cancel. */}
          {outcome.state === 'loading' && (
            <button type="button" onClick={cancel}>
              {t.cancel}
            </button>
          )}
          <span class="quiet">{t.runHint}</span>
        </p>
      </form>
      <Statements title={t.examples} statements={examplesFor(receipt.columns)} onChoose={runStatement} />
      {history.length > 0 && <Statements title={t.history} statements={history} onChoose={runStatement} />}
      <section aria-live="polite">
        {outcome.state === 'loading' && <p class="quiet">{t.loading}</p>}
        {outcome.state === 'failed' && (
          <Failure error={place === null ? outcome.error : withoutExcerpt(outcome.error)} />
        )}
        {outcome.state === 'loaded' && <QueryResult id={receipt.id} sql={asked} {...outcome.value} />}
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

function examplesFor(columns: Receipt['columns']): readonly string[] {
  const ofType = (pattern: RegExp) => columns.find(({ type }) => pattern.test(type))
  const named = (column: Column | undefined) => column && nameOf(column.name, false)
  const group = named(ofType(/^text|^boolean/) ?? columns[0])
  const value = named(ofType(/^decimal|^number/) ?? ofType(/^integer/))
  const time = named(ofType(/^date|^timestamp/))
  return [
    'SUMMARIZE data',
    group && `SELECT ${group}, count(*) AS n FROM data GROUP BY ALL ORDER BY n DESC LIMIT 20`,
    group &&
      value &&
      value !== group &&
      `SELECT ${group}, sum(${value}) AS total, median(${value}) AS middle FROM data GROUP BY ALL ORDER BY total DESC LIMIT 20`,
    time && `SELECT date_trunc('month', ${time}) AS month, count(*) AS n FROM data GROUP BY ALL ORDER BY month`,
    value && `FROM data WHERE ${value} = (SELECT max(${value}) FROM data) LIMIT 20`,
    group && `SELECT ${group}, count(*) AS n FROM data GROUP BY ALL HAVING n > 1 ORDER BY n DESC`,
    'FROM data USING SAMPLE 20 ROWS',
  ].filter((statement) => typeof statement === 'string')
}

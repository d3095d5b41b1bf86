// SQL tab: a statement beside the columns it can use, earlier ones and examples, and its result. The address keeps it.
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Column } from '../../../../src/core/receipt.ts'
import type { RowPage } from '../../../../src/core/responses.ts'
import { ApiError, type Receipt, runQuery, type TabProps } from '../../../api.ts'
import { count, shownName, typeName } from '../../../format.ts'
import { Button, SearchField } from '../../../parts/controls.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { datasetHref, goTo } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { useAction } from '../../../use-loaded.ts'
import { type QueryFailure, queryFailure } from './query-failure.ts'
import { ExportMenu, QueryResult } from './query-result.tsx'
import { putText, SqlEditor } from './sql-editor.tsx'
import { gapBefore, nameOf } from './sql-tokens.ts'

/** Of a result, as the page shows it. Export has all. */
const rowsMax = 10_000
const historyMax = 20
const rememberedCharactersMax = 10_000
const historyName = 'sql-history'

function storedHistory(): readonly string[] {
  return JSON.parse(sessionStorage.getItem(historyName) ?? '[]') as string[] // what remember() has written
}

function remember(statement: string): readonly string[] {
  if (statement.length > rememberedCharactersMax) return storedHistory()
  const history = [statement, ...storedHistory().filter((one) => one !== statement)].slice(0, historyMax)
  sessionStorage.setItem(historyName, JSON.stringify(history))
  return history
}

interface Result {
  readonly statement: string
  readonly page: RowPage
  readonly tookMs: number
}

/** @param props.query The statement that was run last; empty for none. */
export function SqlTab({ receipt, query: asked }: TabProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const { sql, setSql, history, runStatement, value, isLoading, error, cancel } = useStatement(receipt.id, asked, area)
  // The result before stays until there is another one, or an error.
  const result = error === null && (isLoading || value?.statement === asked) ? value : null
  const failure = error instanceof ApiError ? queryFailure(asked, error.message) : null
  const statements = (title: string, known: readonly string[]) => (
    <Group title={title}>
      {known.map((statement) => (
        <button key={statement} type="button" title={statement} onClick={() => runStatement(statement)}>
          <code class="small">{statement}</code>
        </button>
      ))}
    </Group>
  )
  return (
    <div class="sql">
      <nav class="schema" aria-label={t.columnsAndStatements}>
        <ColumnNames receipt={receipt} onChoose={(name) => area.current && putName(area.current, name)} />
        {history.length > 0 && statements(t.earlier, history)}
        {statements(t.examples, examplesFor(receipt.columns))}
      </nav>
      <div>
        <SqlEditor
          sql={sql}
          area={area}
          errorPlace={asked === sql ? (failure?.place ?? null) : null}
          onChange={setSql}
          onRun={() => runStatement(sql)}
        />
        <div class="bar">
          <RunButton isRunning={isLoading} onRun={() => runStatement(sql)} onStop={cancel} />
          <span class="row phone-hide">
            {t.runKeys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </span>
          <span class="small quiet" role="status">
            {!isLoading &&
              result !== null &&
              t.rowCount(count(result.page.rows.length), count(Math.round(result.tookMs)))}
          </span>
          <span class="grow" />
          {asked !== '' && (
            <>
              <CopyButton class="ghost phone-hide" label={t.copyLink} text={() => location.href} />
              {result !== null && <ExportMenu id={receipt.id} sql={asked} />}
            </>
          )}
        </div>
        {error !== null &&
          (failure?.sentence ? (
            <StatementFailure failure={failure} sql={asked} onMend={runStatement} />
          ) : (
            <Failure error={error} />
          ))}
        {result !== null && <QueryResult key={result.statement} page={result.page} />}
      </div>
    </div>
  )
}

/** The statement that is edited, and the one in the address, which is run whenever it changes. */
function useStatement(id: string, asked: string, area: RefObject<HTMLTextAreaElement | null>) {
  const [sql, setSql] = useState(asked || 'SELECT * FROM data LIMIT 100')
  const [history, setHistory] = useState(storedHistory)
  const { run, ...outcome } = useAction<Result>()
  const ask = () => {
    run(async (signal) => {
      const startMs = performance.now()
      const page = await runQuery(id, asked, signal, rowsMax)
      setHistory(remember(asked))
      return { statement: asked, page, tookMs: performance.now() - startMs }
    })
  }
  const runStatement = (statement: string) => {
    setSql(statement)
    if (statement === asked) ask()
    else goTo(`${datasetHref(id, 'sql')}?${encodeURIComponent(statement)}`)
  }
  useLayoutEffect(() => {
    if (asked === '') {
      // A column that is pressed first takes the place of the star.
      area.current?.setSelectionRange(7, 8)
      return outcome.cancel()
    }
    setSql(asked)
    ask()
  }, [asked])
  return { sql, setSql, history, runStatement, ...outcome }
}

interface RunButtonProps {
  readonly isRunning: boolean
  readonly onRun: () => void
  readonly onStop: () => void
}

/** A query that is done in less time does not change the button. */
const stopAfterMs = 300

function RunButton({ isRunning, onRun, onStop }: RunButtonProps) {
  const [seconds, setSeconds] = useState<number | null>(null)
  useLayoutEffect(() => {
    if (!isRunning) return
    const startMs = performance.now()
    const ticking = setInterval(() => setSeconds(Math.floor((performance.now() - startMs) / 1_000)), stopAfterMs)
    return () => {
      clearInterval(ticking)
      setSeconds(null)
    }
  }, [isRunning])
  const isStop = isRunning && seconds !== null
  return (
    // The second click of a double click stops nothing.
    <button
      type="button"
      class={isStop ? 'btn' : 'btn primary'}
      onClick={({ detail }) => (isStop ? detail < 2 && onStop() : onRun())}
    >
      <Icon name={isStop ? 'stop' : 'play'} />
      {isStop ? t.stop : t.run}
      {isStop && (
        <span class="num" aria-hidden="true">
          {seconds} s
        </span>
      )}
    </button>
  )
}

interface StatementFailureProps {
  readonly failure: QueryFailure
  readonly sql: string
  readonly onMend: (sql: string) => void
}

function StatementFailure({ failure: { sentence, message, place, remedy }, sql, onMend }: StatementFailureProps) {
  return (
    <div class="note bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <b>{sentence}</b> {place !== null && t.markedAbove(count(sql.slice(0, place.from).split('\n').length))}
        </p>
        <details class="small quiet">
          <summary>{t.forExperts}</summary>
          <code lang="en">{message}</code>
        </details>
      </div>
      {remedy !== null && (
        <Button
          text={t.putThere(remedy.text)}
          onClick={() => onMend(sql.slice(0, remedy.from) + remedy.text + sql.slice(remedy.to))}
        />
      )}
    </div>
  )
}

function putName(area: HTMLTextAreaElement, name: string): void {
  putText(area, gapBefore(area.value.slice(0, area.selectionStart)) + nameOf(name))
}

/** More would be elements without use: a field finds the others. */
const namesMax = 100
const searchedNamesMin = 20

interface ColumnNamesProps {
  readonly receipt: Receipt
  readonly onChoose: (name: string) => void
}

function ColumnNames({ receipt: { columns, records }, onChoose }: ColumnNamesProps) {
  const [wanted, setWanted] = useState('')
  const found = columns.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <Group title="data" figure={t.rowTerm(count(records.accepted))}>
      {columns.length > searchedNamesMin && <SearchField label={t.findColumn} value={wanted} onInput={setWanted} />}
      {found.slice(0, namesMax).map(({ name, type }) => (
        <button key={name} type="button" onClick={() => onChoose(name)}>
          <span class="name">{shownName(name)}</span>
          <span class="small quiet">{typeName(type)}</span>
        </button>
      ))}
      {found.length > namesMax && <p class="small quiet">{t.moreColumns(count(found.length - namesMax))}</p>}
    </Group>
  )
}

interface GroupProps {
  readonly title: string
  readonly figure?: string
  readonly children: ComponentChildren
}

/** Closed on phones, where it stands above the statement. */
function Group({ title, figure, children }: GroupProps) {
  return (
    <details open={innerWidth > 900}>
      <summary class="strong">
        {title} <span class="quiet small">{figure}</span>
      </summary>
      {children}
    </details>
  )
}

function examplesFor(columns: Receipt['columns']): readonly string[] {
  const ofType = (pattern: RegExp) => columns.find(({ type }) => pattern.test(type))
  const named = (column: Column | undefined) => column && nameOf(column.name)
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

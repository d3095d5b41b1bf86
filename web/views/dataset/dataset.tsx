// Dataset: the head of a dataset, with the account of its file, and its tabs. Knows which tab shows what.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { datasetAddress, getReceipt, type Receipt } from '../../api.ts'
import { ago, bytes, count, moment, shownName } from '../../format.ts'
import { Account } from '../../parts/account.tsx'
import { delimiterName } from '../../parts/dialect-fields.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { Strip } from '../../parts/strip.tsx'
import { datasetHref, type Tab, tabs } from '../../router.ts'
import { t } from '../../texts.ts'
import { useLoaded } from '../../use-loaded.ts'

interface DatasetProps {
  readonly id: string
  readonly tab: Tab
  /** What the tab keeps in the address. */
  readonly query: string
}

export function Dataset({ id, tab, query }: DatasetProps) {
  const loaded = useLoaded((signal) => getReceipt(id, signal), [id])
  const name = loaded.state === 'loaded' ? shownName(loaded.value.file.name) : ''
  useLayoutEffect(() => {
    document.title = [name, t.title].filter(Boolean).join(' · ')
  }, [name])
  // While the receipt is on its way.
  useLayoutEffect(() => void tabViews[tab]().catch(() => {}), [tab])
  useLayoutEffect(() => {
    const current = document.querySelector('.tabs [aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab, loaded.state])
  if (loaded.state === 'failed') return <NotThere error={loaded.error} />
  if (loaded.state === 'loading') return <p class="page quiet">{t.loading}</p>
  const receipt = loaded.value
  return (
    <>
      <Head receipt={receipt} name={name || id} />
      <div class="under">
        <Tabs receipt={receipt} tab={tab} />
        <p class="sum">
          <Account records={receipt.records} rejectsHref={datasetHref(id, 'fix')} />
        </p>
      </div>
      <TabContent key={tab} receipt={receipt} tab={tab} query={query} />
    </>
  )
}

function Head({ receipt, name }: { readonly receipt: Receipt; readonly name: string }) {
  const { id, createdAt, file, encoding, dialect, records, corrections } = receipt
  return (
    <>
      <div class="head">
        <div>
          <h1 class="name" title={name}>
            {name}
          </h1>
          <p class="facts-line">
            <time title={moment(createdAt)}>{ago(createdAt)}</time> · {bytes(file.bytes)} · {encoding.name} ·{' '}
            {delimiterName(dialect.delimiter)}
            {corrections !== undefined && (
              <>
                {' '}
                · {t.correctedFrom(count(corrections.count))}{' '}
                <a href={datasetHref(corrections.of, 'fix')}>{t.uncorrected}</a>
              </>
            )}
          </p>
        </div>
        <div class="row">
          <a class="btn" href={datasetHref(id, 'read')}>
            {t.readAgain}
          </a>
          <Downloads receipt={receipt} />
        </div>
      </div>
      <div class="account">
        <Strip label={t.wholeFile(count(records.rejected))} />
      </div>
    </>
  )
}

function Downloads({ receipt: { id, file, rejects } }: { readonly receipt: Receipt }) {
  const base = file.name.replace(/\.[^.]*$/, '') || id
  const forms: readonly (readonly [string, string, string, string])[] = [
    [t.asCsv, '/data.csv', `${base}.csv`, ''],
    [t.forSpreadsheet, '/data.csv?spreadsheet=true', `${base}.csv`, ''],
    [t.asParquet, '/data.parquet', `${base}.parquet`, ''],
    [t.asJson, '/data.ndjson', `${base}.ndjson`, ''],
    [t.rejectsCsv, '/rejects.csv', `${base}.rejects.csv`, count(rejects.count)],
    [t.original, '/original', file.name || `${id}.csv`, bytes(file.bytes)],
  ]
  const label = (
    <>
      <Icon name="download" /> <span class="phone-label">{t.download}</span>
    </>
  )
  return (
    <Menu class="btn primary" label={label}>
      {forms.map(([name, below, fileName, size]) => (
        <DownloadLink key={below} name={name} size={size} address={datasetAddress(id, below)} fileName={fileName} />
      ))}
    </Menu>
  )
}

function Tabs({ receipt: { id, records }, tab }: { readonly receipt: Receipt; readonly tab: Tab }) {
  const names: Readonly<Partial<Record<Tab, string>>> = {
    rows: t.rows,
    fix: t.fix,
    sql: t.sql,
    receipt: t.receipt,
    columns: t.columns,
  }
  return (
    <nav class="tabs" aria-label={t.views}>
      {tabs
        .filter((one) => names[one] !== undefined)
        .map((one) => (
          <a key={one} href={datasetHref(id, one)} aria-current={one === tab ? 'page' : undefined}>
            {names[one]}
            {one === 'fix' && records.rejected > 0 && <span class="badge warn">{count(records.rejected)}</span>}
          </a>
        ))}
    </nav>
  )
}

function NotThere({ error }: { readonly error: unknown }) {
  return (
    <div class="page">
      <h1>{t.noDataset}</h1>
      <Failure error={error} />
      <p>
        <a href="#/">{t.back}</a>
      </p>
    </div>
  )
}

interface TabProps extends Pick<DatasetProps, 'query'> {
  readonly receipt: Receipt
}

/** Each tab is a script of its own. A tab of the former design is in `old`, until it has its new one. */
const tabViews: Readonly<Record<Tab, () => Promise<(props: TabProps) => ComponentChildren>>> = {
  rows: async () => {
    const { RowTable } = await import('./rows/row-table.tsx')
    return ({ receipt, query }) => (
      <div class="old">
        <RowTable receipt={receipt} viewText={query} />
      </div>
    )
  },
  fix: async () => {
    const { FixTab } = await import('./rejects/fix-tab.tsx')
    return ({ receipt, query }) => <FixTab key={receipt.id} receipt={receipt} query={query} />
  },
  sql: async () => {
    const { SqlTab } = await import('./sql/sql-tab.tsx')
    return ({ receipt }) => (
      <div class="old">
        <SqlTab receipt={receipt} />
      </div>
    )
  },
  receipt: async () => {
    const { ReceiptTab } = await import('./receipt-tab.tsx')
    return ({ receipt }) => (
      <div class="old">
        <ReceiptTab receipt={receipt} />
      </div>
    )
  },
  columns: async () => {
    const { ColumnsTab } = await import('./columns-tab.tsx')
    return ({ receipt }) => (
      <div class="old">
        <ColumnsTab receipt={receipt} />
      </div>
    )
  },
  read: async () => {
    const { ReadTab } = await import('./read-tab.tsx')
    return ({ receipt }) => (
      <div class="old">
        <ReadTab receipt={receipt} />
      </div>
    )
  },
}

function TabContent({ tab, ...props }: TabProps & Pick<DatasetProps, 'tab'>) {
  const loaded = useLoaded(() => tabViews[tab](), [tab])
  if (loaded.state === 'failed') return <Failure error={loaded.error} />
  if (loaded.state === 'loading') return null
  const View = loaded.value
  return <View {...props} />
}

// Dataset: one dataset with its tabs. Knows which tab shows what.
import { useLayoutEffect } from 'preact/hooks'
import { getReceipt, type Receipt } from '../../api.ts'
import { acceptedText, count, shownName } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { datasetHref, type Tab, tabs } from '../../router.ts'
import { t } from '../../texts.ts'
import { useLoaded } from '../../use-loaded.ts'
import { ColumnsTab } from './columns-tab.tsx'
import { ReadTab } from './read-tab.tsx'
import { ReceiptTab } from './receipt-tab.tsx'
import { RejectsTab } from './rejects/rejects-tab.tsx'
import { RowTable } from './rows/row-table.tsx'
import { SqlTab } from './sql/sql-tab.tsx'

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
  useLayoutEffect(() => {
    const current = document.querySelector('.tabs [aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab, loaded.state])
  if (loaded.state === 'failed') return <NotThere error={loaded.error} />
  if (loaded.state === 'loading') return <p class="quiet">{t.loading}</p>
  const receipt = loaded.value
  const { rejected } = receipt.records
  const names: Readonly<Record<Tab, string>> = {
    receipt: t.receipt,
    rows: t.rows,
    rejects: `${t.rejects} (${count(rejected)})`,
    columns: t.columns,
    sql: t.sql,
    read: t.readAgain,
  }
  return (
    <>
      <BackLink />
      <h1 class="name" title={name}>
        {name || receipt.id}
      </h1>
      <p class="lead">{acceptedText(receipt.records)}</p>
      {receipt.corrections !== undefined && (
        <p class="quiet">
          {t.correctedFrom(count(receipt.corrections.count))}{' '}
          <a href={datasetHref(receipt.corrections.of, 'rejects')}>{t.uncorrected}</a>
        </p>
      )}
      <nav class="tabs" aria-label={name}>
        {tabs.map((one) => (
          <a
            key={one}
            href={datasetHref(id, one)}
            data-name={names[one]}
            aria-current={one === tab ? 'page' : undefined}
          >
            {names[one]}
          </a>
        ))}
      </nav>
      <TabContent receipt={receipt} tab={tab} query={query} />
    </>
  )
}

function NotThere({ error }: { readonly error: unknown }) {
  return (
    <>
      <BackLink />
      <h1>{t.noDataset}</h1>
      <Failure error={error} />
    </>
  )
}

export function BackLink() {
  return (
    <p class="quiet">
      <a href="#/">{t.back}</a>
    </p>
  )
}

interface TabContentProps extends Pick<DatasetProps, 'tab' | 'query'> {
  readonly receipt: Receipt
}

function TabContent({ receipt, tab, query }: TabContentProps) {
  switch (tab) {
    case 'receipt':
      return <ReceiptTab receipt={receipt} />
    case 'rows':
      return <RowTable key={receipt.id} receipt={receipt} viewText={query} />
    case 'rejects':
      return <RejectsTab key={receipt.id} receipt={receipt} />
    case 'columns':
      return <ColumnsTab receipt={receipt} />
    case 'sql':
      return <SqlTab receipt={receipt} />
    case 'read':
      return <ReadTab receipt={receipt} />
  }
}

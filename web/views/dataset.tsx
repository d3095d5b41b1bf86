// Dataset: one dataset with its tabs. Knows which tab shows what.
import { getReceipt, type Receipt } from '../api.ts'
import { count } from '../format.ts'
import { Failure } from '../parts/failure.tsx'
import { RowTable } from '../parts/row-table.tsx'
import { datasetHref, type Tab, tabs } from '../router.ts'
import { t } from '../texts.ts'
import { useLoaded } from '../use-loaded.ts'
import { ColumnsTab } from './columns-tab.tsx'
import { ReadTab } from './read-tab.tsx'
import { ReceiptTab } from './receipt-tab.tsx'
import { RejectsTab } from './rejects-tab.tsx'
import { SqlTab } from './sql-tab.tsx'

export function Dataset({ id, tab }: { readonly id: string; readonly tab: Tab }) {
  const loaded = useLoaded((signal) => getReceipt(id, signal), [id])
  if (loaded.state === 'failed') return <Failure error={loaded.error} />
  if (loaded.state === 'loading') return <p class="quiet">{t.loading}</p>
  const receipt = loaded.value
  const { accepted, rejected } = receipt.records
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
      <p class="quiet">
        <a href="#/">{t.back}</a>
      </p>
      <h1 class="name">{receipt.file.name || receipt.id}</h1>
      <p class="lead">{t.acceptedSentence(count(accepted), count(accepted + rejected), count(rejected))}</p>
      <nav class="tabs" aria-label={receipt.file.name}>
        {tabs.map((one) => (
          <a key={one} href={datasetHref(id, one)} aria-current={one === tab ? 'page' : undefined}>
            {names[one]}
          </a>
        ))}
      </nav>
      <TabContent receipt={receipt} tab={tab} />
    </>
  )
}

function TabContent({ receipt, tab }: { readonly receipt: Receipt; readonly tab: Tab }) {
  switch (tab) {
    case 'receipt':
      return <ReceiptTab receipt={receipt} />
    case 'rows':
      return <RowTable key={receipt.id} id={receipt.id} columns={receipt.columns} total={receipt.records.accepted} />
    case 'rejects':
      return <RejectsTab receipt={receipt} />
    case 'columns':
      return <ColumnsTab receipt={receipt} />
    case 'sql':
      return <SqlTab receipt={receipt} />
    case 'read':
      return <ReadTab receipt={receipt} />
  }
}

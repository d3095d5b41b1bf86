// Dataset: the head of a dataset, with the account of its file, and its tabs. Knows which tab shows what.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { getReceipt, type Receipt, type TabProps } from '../../api.ts'
import { count, shownName } from '../../format.ts'
import { Account } from '../../parts/account.tsx'
import { Failure } from '../../parts/failure.tsx'
import { datasetHref, type Tab } from '../../router.ts'
import { t } from '../../texts.ts'
import { useLoaded } from '../../use-loaded.ts'
import { Head } from './head.tsx'

interface DatasetProps {
  readonly id: string
  readonly tab: Tab
  /** What the tab keeps in the address. */
  readonly query: string
}

export function Dataset({ id, tab, query }: DatasetProps) {
  const { value: receipt, error } = useLoaded((signal) => getReceipt(id, signal), [id])
  const name = receipt === null ? '' : shownName(receipt.file.name)
  useLayoutEffect(() => {
    document.title = [name, t.title].filter(Boolean).join(' · ')
  }, [name])
  // While the receipt is on its way.
  useLayoutEffect(() => void tabViews[tab]().catch(() => {}), [tab])
  useLayoutEffect(() => {
    const current = document.querySelector('.tabs [aria-current]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab, receipt])
  if (error !== null) {
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
  if (receipt === null) return <p class="page quiet">{t.loading}</p>
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

function Tabs({ receipt: { id, records }, tab }: { readonly receipt: Receipt; readonly tab: Tab }) {
  return (
    <nav class="tabs" aria-label={t.views}>
      {(['rows', 'fix', 'sql', 'receipt'] as const).map((one) => (
        <a key={one} href={datasetHref(id, one)} aria-current={one === tab ? 'page' : undefined}>
          {t[one]}
          {one === 'fix' && records.rejected > 0 && <span class="badge warn">{count(records.rejected)}</span>}
        </a>
      ))}
    </nav>
  )
}

/** Each tab is a script of its own. */
const tabViews: Readonly<Record<Tab, () => Promise<(props: TabProps) => ComponentChildren>>> = {
  rows: async () => (await import('./rows/row-table.tsx')).RowTable,
  fix: async () => (await import('./rejects/fix-tab.tsx')).FixTab,
  sql: async () => (await import('./sql/sql-tab.tsx')).SqlTab,
  receipt: async () => (await import('./receipt-tab.tsx')).ReceiptTab,
  read: async () => (await import('./read-tab.tsx')).ReadTab,
}

function TabContent({ tab, ...props }: TabProps & Pick<DatasetProps, 'tab'>) {
  const { value: View, error } = useLoaded(() => tabViews[tab](), [tab])
  if (error !== null) return <Failure error={error} />
  return View && <View {...props} />
}

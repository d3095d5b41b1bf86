// Head: what a dataset is in one line, what can be done with it, its versions, and the strip that leads to its rejects.
import { datasetAddress, type ListedDataset, listDatasets, type Receipt } from '../../api.ts'
import { useMay } from '../../caller.ts'
import { bytes, count } from '../../format.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/controls.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'
import { receiptTicks } from '../../parts/reject-ticks.ts'
import { Strip, type Tick } from '../../parts/strip.tsx'
import { versionName } from '../../parts/version-name.ts'
import { datasetHref, goTo } from '../../router.ts'
import { t } from '../../texts.ts'
import { trashDatasets } from '../../trash.ts'
import { useLive } from '../../upload/live.ts'
import { useLoaded } from '../../use-loaded.ts'

export function Head({ receipt, name }: { readonly receipt: Receipt; readonly name: string }) {
  const { id, createdAt, file, encoding, dialect, sender } = receipt
  const mayDelete = useMay('delete')
  const remove = async () => {
    const { failure } = await trashDatasets([receipt])
    if (failure === null) goTo('#/')
  }
  return (
    <>
      <div class="head">
        <div>
          <h1 class="name" title={name}>
            {name}
          </h1>
          <p class="facts-line">
            {sender !== undefined && `${t.sentBy(sender)} · `}
            <Ago at={createdAt} /> · {bytes(file.bytes)} · {encoding.name.toUpperCase()},{' '}
            {t.delimiterWords[dialect.delimiter] ?? dialect.delimiter}
            <Versions id={id} />
          </p>
        </div>
        <div class="row">
          <a class="btn" href={datasetHref(id, 'read')}>
            {t.readAgain}
          </a>
          {mayDelete && (
            <Button text={t.delete} of={name} icon="trash" look="ghost icon-only" onClick={() => void remove()} />
          )}
          <Downloads receipt={receipt} />
        </div>
      </div>
      <div class="account">
        <RejectStrip receipt={receipt} />
      </div>
    </>
  )
}

/** Shown if there are several of the same file; or that this one was deleted, by another tab, say. */
function Versions({ id }: { readonly id: string }) {
  const { changes } = useLive()
  const { value: versions, isLoading, error } = useLoaded((signal) => versionsOf(id, signal), [id, changes])
  if (versions === null && !isLoading && error === null) {
    return (
      <>
        {' · '}
        <a class="warn" href="#/trash">
          {t.goneMeanwhile}
        </a>
      </>
    )
  }
  const at = versions?.findIndex((one) => one.id === id) ?? -1
  const shown = versions?.[at]
  if (versions === null || shown === undefined || versions.length < 2) return null
  const [name] = versionName(shown)
  return (
    <>
      {' · '}
      <Menu class="link" label={t.versionOf(name, count(at + 1), count(versions.length))}>
        {versions.map((one) => (
          <a key={one.id} href={datasetHref(one.id)} aria-current={one.id === id ? 'page' : undefined}>
            {versionName(one)[0]} <span class="quiet small">{t.rejectedTerm(count(one.records.rejected))}</span>
          </a>
        ))}
      </Menu>
    </>
  )
}

/** The oldest first; null if there is no such dataset any more. */
async function versionsOf(id: string, signal: AbortSignal): Promise<readonly ListedDataset[] | null> {
  const [listed] = (await listDatasets({ id }, signal)).datasets
  if (listed === undefined) return null
  if ((listed.origin?.versions ?? 1) < 2) return []
  const { datasets } = await listDatasets({ origin: listed.origin?.id ?? '', order: 'asc', limit: '100' }, signal)
  return datasets
}

function Downloads({ receipt: { id, file, rejects } }: { readonly receipt: Receipt }) {
  const base = file.name.replace(/\.[^.]*$/, '') || id
  const forms: readonly (readonly [string, string, string, string])[] = [
    [t.asCsv, '/data.csv', `${base}.csv`, ''],
    [t.typedCsv, '/data.csv?typed=true', `${base}.csv`, ''],
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

/** A press leads to the cause of the reject whose tick is nearest; by keyboard, to that of the first. */
function RejectStrip({ receipt }: { readonly receipt: Receipt }) {
  const { id, file, records, bytes: kinds } = receipt
  const { positions } = receipt.rejects
  const ticks = receiptTicks(receipt)
  const size = file.compression?.bytes ?? file.bytes
  const header = kinds === undefined ? 0 : (kinds.header + kinds.skipped) / size
  const strip = (
    <Strip
      label={t.wholeFile(count(records.rejected))}
      read={records.accepted === 0 && records.rejected > 0 ? 0 : 1}
      header={header}
      ticks={ticks}
    />
  )
  if (positions === undefined || ticks.length === 0) return strip
  const hrefOf = (at: number) =>
    `${datasetHref(id, 'fix')}?${Object.keys(positions.buckets[at]?.reasons ?? {})[0] ?? ''}`
  return (
    <a
      class="strip-link"
      href={hrefOf(0)}
      onClick={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect()
        // A key press has no place.
        if (event.detail > 0) event.currentTarget.href = hrefOf(nearest(ticks, (event.clientX - left) / width))
      }}
    >
      {strip}
    </a>
  )
}

function nearest(ticks: readonly Tick[], place: number): number {
  const distances = ticks.map(({ at }) => Math.abs(at - place))
  return distances.indexOf(Math.min(...distances))
}

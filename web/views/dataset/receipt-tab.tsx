// Receipt tab: how a file was read and why, its columns and notes, downloads, and lines to paste elsewhere.
import { useState } from 'preact/hooks'
import { currentKey, datasetAddress, type Receipt } from '../../api.ts'
import { bytes, count, moment } from '../../format.ts'
import { ColumnTable } from '../../parts/column-table.tsx'
import { delimiterName } from '../../parts/dialect-fields.tsx'
import { DownloadLink } from '../../parts/download-link.tsx'
import { NoteList } from '../../parts/note-list.tsx'
import { Spoken } from '../../parts/spoken.tsx'
import { evidenceSentences } from '../../sentences.ts'
import { t } from '../../texts.ts'

export function ReceiptTab({ receipt }: { readonly receipt: Receipt }) {
  return (
    <>
      {receipt.notes.length > 0 && (
        <section>
          <h2>{t.notes}</h2>
          <NoteList notes={receipt.notes} />
        </section>
      )}
      <section>
        <h2>{t.columns}</h2>
        <ColumnTable receipt={receipt} />
      </section>
      <Evidence receipt={receipt} />
      <Downloads receipt={receipt} />
      <Snippets receipt={receipt} />
    </>
  )
}

function Evidence({ receipt }: { readonly receipt: Receipt }) {
  const { file, createdAt, encoding, dialect } = receipt
  const facts: readonly (readonly [string, string])[] = [
    [t.size, `${bytes(file.bytes)} (${count(file.bytes)})`],
    [t.created, moment(createdAt)],
    [t.encoding, encoding.name],
    [t.delimiter, delimiterName(dialect.delimiter)],
    [t.quote, dialect.quoteChar ?? t.none],
    [t.lineEnd, dialect.lineTerminator.replaceAll('\r', 'CR ').replaceAll('\n', 'LF ').trim()],
    [t.header, dialect.header ? t.yes : t.no],
    ['SHA-256', file.sha256],
  ]
  return (
    <section>
      <h2>{t.evidence}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name} class={value.length > 40 ? 'wide' : name === t.created ? 'unbroken' : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ul class="quiet">
        {evidenceSentences(receipt).map((sentence) => (
          <li key={sentence.text}>
            <Spoken sentence={sentence} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Downloads({ receipt: { id, file } }: { readonly receipt: Receipt }) {
  const base = file.name.replace(/\.[^.]*$/, '') || id
  const forms: readonly (readonly [string, string, string])[] = [
    [t.original, '/original', file.name || `${id}.csv`],
    [t.asCsv, '/data.csv', `${base}.csv`],
    [t.asParquet, '/data.parquet', `${base}.parquet`],
    [t.asJson, '/data.ndjson', `${base}.ndjson`],
    [t.rejectsCsv, '/rejects.csv', `${base}.rejects.csv`],
  ]
  return (
    <section>
      <h2>{t.downloads}</h2>
      <p class="row">
        {forms.map(([name, below, fileName]) => (
          <DownloadLink key={below} name={name} address={datasetAddress(id, below)} fileName={fileName} />
        ))}
      </p>
    </section>
  )
}

function Snippets({ receipt: { id } }: { readonly receipt: Receipt }) {
  const parquet = datasetAddress(id, '/data.parquet')
  const key = currentKey() === null ? '' : ' -H "Authorization: Bearer $KEY"'
  const snippets: readonly (readonly [string, string])[] = [
    ['curl', `curl -sS${key} -o data.parquet ${parquet}`],
    ['Python', `import pandas\npandas.read_parquet("${parquet}")`],
    ['R', `arrow::read_parquet("${parquet}")`],
    ['DuckDB', `SELECT * FROM read_parquet('${parquet}');`],
  ]
  return (
    <section>
      <h2>{t.use}</h2>
      {snippets.map(([name, text]) => (
        <div key={name} class="snippet">
          <div class="row between">
            <strong>{name}</strong>
            <CopyButton text={text} />
          </div>
          <pre>
            <code>{text}</code>
          </pre>
        </div>
      ))}
    </section>
  )
}

function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <button type="button" class="small" onClick={copy} onBlur={() => setCopied(false)}>
      <span aria-live="polite">{isCopied ? t.copied : t.copy}</span>
    </button>
  )
}

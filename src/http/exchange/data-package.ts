// Data package: a receipt in the terms of Frictionless Data Package, version 2. Does not know how a dataset is stored.
import { fieldOf } from '../../core/column-field.ts'
import type { Receipt } from '../../core/receipt.ts'

/** What others need to use a dataset: its files, linked relative to the package, and the schema of its table. */
export function dataPackageJson(receipt: Receipt) {
  const { id, createdAt, file } = receipt
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    id,
    name: packageName(file.name),
    title: file.name,
    created: new Date(createdAt).toISOString(),
    resources: [dataResource(receipt), originalResource(receipt)] as const,
  }
}

function dataResource(receipt: Receipt) {
  const lineTerminator = receipt.dialect.lineTerminator === '\n' ? '\n' : '\r\n'
  const { headerFields } = receipt.body
  // Where the columns have other names than the header (it lacks some, or repeats them), tools would find it wrong.
  const header = headerFields !== null && receipt.columns.every(({ name }, i) => name === headerFields[i])
  const commentRows = headerFields !== null && !header ? { commentRows: [1] } : {}
  return {
    name: 'data',
    type: 'table',
    path: 'data.csv',
    format: 'csv',
    mediatype: 'text/csv',
    encoding: 'utf-8',
    dialect: { delimiter: ',', quoteChar: '"', doubleQuote: true, lineTerminator, header, ...commentRows },
    schema: tableSchema(receipt),
  }
}

/** A file without `format` and `dialect`, or tools would read it as a table, whose records may not fit the schema. */
function originalResource({ file, encoding }: Receipt) {
  return {
    name: 'original',
    path: 'original',
    title: file.name,
    mediatype: file.compression ? `application/${file.compression.format}` : 'text/csv',
    encoding: encoding.name,
    bytes: file.bytes,
    hash: `sha256:${file.sha256}`,
  }
}

/** Letters, digits and `.`, `_`, `-` only, as the specification recommends. */
function packageName(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\.(?:gz|gzip|zst|zstd)$/, '')
    .replace(/\.(csv|tsv|tab|txt)$/, '')
  return (
    plain
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '')
      .slice(0, 100) || 'dataset'
  )
}

function tableSchema({ columns, schema }: Receipt) {
  const declared = new Map(schema?.fields.map((field) => [field.name, field]))
  return {
    fields: columns.map((column) => declared.get(column.name) ?? fieldOf(column)),
    ...(schema?.missingValues && { missingValues: schema.missingValues }),
    ...(schema?.primaryKey && { primaryKey: schema.primaryKey }),
  }
}

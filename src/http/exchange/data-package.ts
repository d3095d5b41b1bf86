// Data package: a receipt in the terms of Frictionless Data Package, version 2. Does not know how a dataset is stored.
import type { Column, Receipt } from '../../core/receipt.ts'
import type { TableField } from '../../core/table-schema.ts'

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

/** A detected column, which no schema declares. */
function fieldOf(column: Column): TableField {
  const { name, nullWords = [] } = column
  const missing = nullWords.length === 0 ? {} : { missingValues: [...new Set(['', ...nullWords])] }
  return { name, ...typeOf(column), ...missing }
}

function typeOf({ type, format }: Column): Omit<TableField, 'name'> {
  // `decimal(9,2)`, `integer`.
  const [kind] = type.split('(')
  switch (kind) {
    case 'decimal':
    case 'number':
      return { type: 'number', ...numberFormat(format) }
    case 'integer':
      // Most tools know `groupChar` for numbers only.
      return format === undefined ? { type: 'integer' } : { type: 'number', ...numberFormat(format) }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'date', ...(format !== undefined && { format: pattern(format) }) }
    // ISO 8601 allows forms beyond the default one: fractions of a second, a space instead of the T.
    case 'time':
      return { type: 'time', format: 'any' }
    case 'timestamp':
    case 'timestamptz':
      return { type: 'datetime', format: format === undefined ? 'any' : pattern(format) }
    default:
      return { type: 'string' }
  }
}

/** `1.234,56`: the characters that separate groups and the fraction. */
function numberFormat(format = ''): Pick<TableField, 'groupChar' | 'decimalChar'> {
  const [, groupChar = '', decimalChar = ''] = /^1(\D?)234(?:(\D)56)?$/.exec(format) ?? []
  return { ...(groupChar !== '' && { groupChar }), ...(decimalChar !== '' && decimalChar !== '.' && { decimalChar }) }
}

/** `DD/MM/YYYY hh:mm:ss` as a strptime format, which Table Schema uses. */
function pattern(format: string): string {
  const words: Readonly<Record<string, string>> = { YYYY: '%Y', MM: '%m', DD: '%d', hh: '%H', mm: '%M', ss: '%S' }
  return format.replaceAll(/YYYY|MM|DD|hh|mm|ss/g, (word) => words[word] ?? word)
}

// Data package: a receipt in the terms of Frictionless Data Package, version 2. Does not know how a dataset is stored.
import type { Column, CompressionFormat, Receipt } from '../../core/receipt.ts'
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
  const header = receipt.body.headerFields !== null
  return {
    name: 'data',
    type: 'table',
    path: 'data.csv',
    ...csv('utf-8'),
    dialect: { delimiter: ',', quoteChar: '"', doubleQuote: true, lineTerminator, header },
    schema: tableSchema(receipt),
  }
}

/** The names that Frictionless tools use: https://specs.frictionlessdata.io/patterns/#compression-of-resources */
const compressionNames: Readonly<Record<CompressionFormat, 'gz' | 'zst'>> = { gzip: 'gz', zstd: 'zst' }

/** Not a table: it may have records that do not fit the schema. */
function originalResource(receipt: Receipt) {
  const { file, encoding } = receipt
  return {
    name: 'original',
    path: 'original',
    title: file.name,
    ...csv(encoding.name),
    ...(file.compression && { compression: compressionNames[file.compression.format] }),
    bytes: file.bytes,
    hash: `sha256:${file.sha256}`,
    dialect: originalDialect(receipt),
  }
}

function csv(encoding: string) {
  return { format: 'csv', mediatype: 'text/csv', encoding }
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

/** The parts of the dialect for which the specification has a term. */
function originalDialect({ dialect, records }: Receipt) {
  const { delimiter, quoteChar, doubleQuote, escapeChar, lineTerminator, commentChar, skipInitialSpace } = dialect
  const headerRows = Array.from({ length: records.header }, (_, i) => dialect.skipRows + 1 + i)
  return {
    delimiter,
    ...(quoteChar !== null && { quoteChar, doubleQuote }),
    ...(escapeChar !== null && { escapeChar }),
    lineTerminator,
    header: dialect.header,
    ...(headerRows.some((row) => row > 1) && { headerRows }),
    ...(commentChar !== null && { commentChar }),
    skipInitialSpace,
  }
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
  const missing = nullWords.length === 0 ? {} : { missingValues: ['', ...nullWords] }
  return { name, ...typeOf(column), ...missing }
}

function typeOf({ type, format }: Column): Omit<TableField, 'name'> {
  // `decimal(9,2)`, `integer`.
  const [kind] = type.split('(')
  switch (kind) {
    case 'integer':
      return { type: 'integer', ...numberFormat(format) }
    case 'decimal':
    case 'number':
      return { type: 'number', ...numberFormat(format) }
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

// Copy request: what a client asks for, completed with the target and the file name. Knows no database.
import { type CopyRequest, type CopyTarget, tableNamePattern } from '../../core/copies/copy-status.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { PartialCopyRequest } from '../service.ts'

const tableNameMax = 63
const isTableName = new RegExp(tableNamePattern)

/** @throws {ServiceError} BAD_PARAMETER */
export function completeRequest(
  wanted: PartialCopyRequest,
  { file, columns }: Pick<Receipt, 'file' | 'columns'>,
  targets: readonly CopyTarget[],
): CopyRequest {
  const target = targets.find(({ name }) => name === wanted.to)
  if (target === undefined) {
    const names = targets.map(({ name }) => name).join(', ')
    const choice = names === '' ? 'a service that was started with --copy-target' : `one of ${names}`
    throw new ServiceError('BAD_PARAMETER', { name: 'to', seen: `there is no target '${wanted.to}'`, expected: choice })
  }
  const table = wanted.table ?? target.table ?? tableNameOf(file.name)
  if (!isTableName.test(table)) {
    const pattern = 'at most 63 letters (A to Z), digits and underscores, with no digit first'
    const seen = `'${table}' is not the name of a table`
    throw new ServiceError('BAD_PARAMETER', { name: 'table', seen, expected: pattern })
  }
  const mode = wanted.mode ?? (wanted.key === undefined ? target.mode : 'upsert')
  const key = mode === 'upsert' ? (wanted.key ?? target.key) : (wanted.key ?? [])
  const missing = key.find((one) => !columns.some(({ name }) => name === one))
  const problem =
    mode !== 'upsert' && key.length > 0
      ? `a copy with mode '${mode}' has no key`
      : mode === 'upsert' && key.length === 0
        ? 'it is missing'
        : missing !== undefined
          ? `the dataset has no column '${missing}'`
          : null
  if (problem === null) return { to: target.name, table, mode, key: [...new Set(key)] }
  throw new ServiceError('BAD_PARAMETER', {
    name: 'key',
    seen: problem,
    expected: "names of the dataset's columns, with mode 'upsert' only",
  })
}

/** `2024 Sales (final).csv.gz` → `t_2024_sales_final`. */
export function tableNameOf(fileName: string): string {
  const [stem = ''] = fileName.replace(/^\.+/, '').split('.')
  const plain = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
  const name = /^[0-9]/.test(plain) ? `t_${plain}` : plain
  return name.slice(0, tableNameMax).replace(/_+$/, '') || 'data'
}

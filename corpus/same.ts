// Same: the answer may depend on neither how the bytes arrive nor which way round they go. Uploads a file again and compares.
import { isDeepStrictEqual } from 'node:util'
import type { SeenReceipt } from './conservation.ts'
import { receiptOf } from './conservation.ts'
import { download, type Sending, upload } from './upload.ts'

/** Members that are about this upload; the same bytes may have come before under another name. */
const ofTheUpload: ReadonlySet<string> = new Set(['duplicate', 'upload', 'createdAt', 'file'])

/** Deletes the dataset and sends the file again in small writes: what differs then, in words, or null. */
export async function differsByWrites(
  url: string,
  first: SeenReceipt,
  sending: Required<Pick<Sending, 'fileName' | 'bytes' | 'nextWriteBytes'>>,
): Promise<string | null> {
  const csvPath = `/qas/datasets/${first.id}/data.csv`
  const before = await download(url, csvPath)
  const { status } = await fetch(`${url}/qas/datasets/${first.id}`, { method: 'DELETE' })
  if (status !== 204) return `delete answered ${status}`
  const again = receiptOf(await upload(url, sending))
  if (again === null) return 'the file was taken once, but not in small writes'
  const different = Object.keys(first).find((member) => {
    const key = member as keyof SeenReceipt // names of the receipt's own members
    return !ofTheUpload.has(member) && !isDeepStrictEqual(first[key], again[key])
  })
  if (different !== undefined) return `\`${different}\` of the receipt differs`
  return before.equals(await download(url, csvPath)) ? null : 'the export differs'
}

/** Uploads the export of a dataset as a file of its own: what differs from the first dataset, in words, or null. */
export async function differsReread(url: string, first: SeenReceipt, fileName: string): Promise<string | null> {
  const exported = await download(url, `/qas/datasets/${first.id}/data.csv`)
  if (exported.length === 0) return null
  const { header } = first.dialect
  const declared = { delimiter: ',', quoteChar: '"', doubleQuote: true, header, skipRows: 0, commentChar: null }
  const dialect = JSON.stringify({ ...declared, skipInitialSpace: false, encoding: 'utf-8' })
  const answer = await upload(url, { fileName: `again-${fileName}`, bytes: exported, dialect })
  const again = receiptOf(answer)
  if (again === null) return `the export is refused: ${String(answer.body.message)}`
  const { accepted, rejected } = again.records
  if (accepted !== first.records.accepted || rejected !== 0) {
    return `${accepted} records accepted and ${rejected} rejected, ${first.records.accepted} were exported`
  }
  const [wanted, found] = [first, again].map(({ columns }) =>
    columns.map(({ name, type, nulls }) => [name, type, nulls]),
  )
  if (!isDeepStrictEqual(found, wanted)) {
    const at = wanted?.findIndex((column, i) => !isDeepStrictEqual(column, found?.[i])) ?? -1
    return `column ${JSON.stringify(wanted?.[at])} became ${JSON.stringify(found?.[at])}`
  }
  return exported.equals(await download(url, `/qas/datasets/${again.id}/data.csv`)) ? null : 'its own export differs'
}

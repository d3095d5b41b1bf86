// Conservation: what must hold of every upload whatever the file. Knows the answers of the service, not how they come about.
import { createHash } from 'node:crypto'
import { type Answer, download, hangMs } from './upload.ts'

/** Members of the receipt that are looked at. */
export interface SeenReceipt {
  readonly id: string
  readonly file: { readonly bytes: number; readonly sha256: string; readonly compression?: { readonly bytes: number } }
  readonly dialect: { readonly header: boolean }
  readonly records: Readonly<Record<'total' | 'header' | 'blank' | 'skipped' | 'accepted' | 'rejected', number>>
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nulls: number }[]
}

interface SeenReject {
  readonly record: number
  readonly byteOffset: number
  readonly byteLength: number
}

const errorMembers = ['timestamp', 'status', 'error', 'exception', 'message', 'path']
const rejectsPage = 10_000

/** The receipt of an upload that was accepted. */
export function receiptOf({ status, body }: Answer): SeenReceipt | null {
  return status === 200 ? (body as unknown as SeenReceipt) : null // the shape is that of the service's own schema
}

/** What is broken, in words; nothing for an answer that is right. */
export async function violationsOf(url: string, bytes: Uint8Array, answer: Answer): Promise<readonly string[]> {
  if (answer.ms >= hangMs) return [`no answer within ${hangMs / 1000} s`]
  const receipt = receiptOf(answer)
  if (receipt === null) return refusalViolations(answer)
  try {
    return [...countViolations(receipt, bytes), ...(await keptViolations(url, receipt, bytes))]
  } catch (error) {
    return [String(error)]
  }
}

function refusalViolations({ status, body }: Answer): string[] {
  const wrong: string[] = []
  if (status < 400 || status >= 500) wrong.push(`status ${status}`)
  if (Object.keys(body).join() !== errorMembers.join() || body.status !== status) wrong.push('no record of six fields')
  return wrong
}

function countViolations({ file, records }: SeenReceipt, bytes: Uint8Array): string[] {
  const { total, header, blank, skipped, accepted, rejected } = records
  const wrong: string[] = []
  if (header + blank + skipped + accepted + rejected !== total) wrong.push(`records do not add up: ${total}`)
  if (file.bytes !== bytes.length) wrong.push(`${file.bytes} bytes, sent ${bytes.length}`)
  if (file.sha256 !== sha256(bytes)) wrong.push(`sha256 is not that of the bytes sent`)
  return wrong
}

/** The original is the bytes sent; rejects are as many as counted, in order, apart and within the file; so is the export. */
async function keptViolations(url: string, receipt: SeenReceipt, bytes: Uint8Array): Promise<string[]> {
  const { id, file, records, dialect } = receipt
  // Places are those of the text.
  const textBytes = file.compression?.bytes ?? bytes.length
  const base = `/qas/datasets/${id}`
  const wrong: string[] = []
  if (sha256(await download(url, `${base}/original`)) !== sha256(bytes))
    wrong.push('the original is not the bytes sent')
  const rejects: SeenReject[] = []
  while (rejects.length < records.rejected) {
    const page = await download(url, `${base}/rejects?offset=${rejects.length}&limit=${rejectsPage}`)
    const { rejects: more } = JSON.parse(page.toString()) as { rejects: SeenReject[] } // the service's own schema
    if (more.length === 0) break
    rejects.push(...more)
  }
  if (rejects.length !== records.rejected) wrong.push(`${rejects.length} rejects, ${records.rejected} counted`)
  let end = 0
  let record = 0
  for (const reject of rejects) {
    const isInOrder = reject.byteOffset >= end && reject.record > record
    end = reject.byteOffset + reject.byteLength
    record = reject.record
    if (!isInOrder || end > textBytes || record > records.total) wrong.push(`reject ${record} is out of place`)
  }
  const exported = recordCount(await download(url, `${base}/data.csv`))
  const wanted = records.accepted + (dialect.header ? 1 : 0)
  if (exported !== wanted) wrong.push(`the export has ${exported} records, expected ${wanted}`)
  return wrong
}

/** Records of an RFC 4180 text: line ends outside quotes. */
export function recordCount(text: Uint8Array): number {
  let count = 0
  let isQuoted = false
  for (const byte of text) {
    if (byte === 0x22) isQuoted = !isQuoted
    else if (byte === 0x0a && !isQuoted) count++
  }
  return count
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

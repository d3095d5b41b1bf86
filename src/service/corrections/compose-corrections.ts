// Compose corrections: combines submitted corrections with earlier ones into the corrections of another dataset.
import type { Correction, Receipt, RefusedCorrection } from '../../core/receipt.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { Peekable } from '../../io/peekable.ts'
import type { ReadBytes } from '../../io/read-bytes.ts'
import { createRecordReader } from '../dataset/record-text.ts'
import { correctionLine } from '../ingest/correction-file.ts'
import { type ReadRecord, withoutLineEnd } from '../ingest/record-of-text.ts'
import { badCorrections, rowsMax, type SentRow } from './sent-rows.ts'

/** As many as a receipt shows of its rejects. */
const firstMax = 20

/** What a dataset contributes to corrections, each list in file order. */
export interface Correctable {
  readonly receipt: Receipt
  /** Its rejects, without their texts. */
  readonly rejects: AsyncIterable<Omit<Correction, 'text'>>
  /** Reads the text in which its records are found. */
  readonly read: ReadBytes
  /** Its own corrections. */
  readonly corrections: AsyncIterable<Correction>
}

/** The outcome of the submitted rows. */
export interface SentCounts {
  readonly sent: number
  /** Rows that change nothing: without a text, or with the text that the record has. */
  readonly unchanged: number
  readonly refused: RefusedCorrections
}

/** Texts that cannot be read as the record for which they were submitted. */
export class RefusedCorrections {
  count = 0
  /** At most 20. */
  readonly first: RefusedCorrection[] = []

  add(one: RefusedCorrection): void {
    this.count++
    if (this.first.length < firstMax) this.first.push(one)
  }
}

/**
 * Writes the corrections of the new dataset to a new file. A text that cannot be read as one record is left out, and
 * its record stays as it was. A text for a record that was corrected before replaces the earlier correction.
 *
 * @throws {ServiceError} BAD_CORRECTIONS if a row names a record that is not a reject
 */
export async function composeCorrections(
  of: Correctable,
  sent: AsyncIterable<SentRow>,
  readRecord: ReadRecord,
  path: string,
): Promise<SentCounts & { readonly count: number }> {
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  await using before = new Peekable(of.corrections)
  await using rejects = new Peekable(of.rejects)
  const isUnchanged = textComparison(of)
  const refused = new RefusedCorrections()
  const counts = { sent: 0, unchanged: 0, count: 0 }
  const write = async (correction: Correction) => {
    if (++counts.count > rowsMax) throw badCorrections(`a dataset can have at most ${rowsMax} corrected records`)
    await writer.write([Buffer.from(correctionLine(correction))])
  }
  for await (const row of sent) {
    counts.sent++
    const { record } = row
    const text = row.text === null ? null : withoutLineEnd(row.text)
    for await (const earlier of below(before, record)) await write(earlier)
    const earlier = await entryAt(before, record)
    const reject = earlier ?? (await entryAt(rejects, record))
    if (reject === null) {
      throw badCorrections(`record ${record} is not a reject of this dataset; send rows of its own rejects.csv only`)
    }
    const isAsItWas =
      text === null || (earlier === null ? await isUnchanged(reject, { ...row, text }) : earlier.text === text)
    const seen = isAsItWas ? null : readRecord(text)
    if (seen === null) counts.unchanged++
    else if (seen.kind === 'refused') {
      const { column, reason, message } = seen
      refused.add({ record, column, reason, message })
    }
    if (seen?.kind === 'record' && text !== null) await write({ ...reject, text })
    else if (earlier !== null) await write(earlier)
  }
  for await (const earlier of below(before, Number.POSITIVE_INFINITY)) await write(earlier)
  await writer.close()
  return { ...counts, refused }
}

/** The entries before a record, in file order. */
async function* below<One extends { readonly record: number }>(list: Peekable<One>, record: number) {
  for (let next = await list.peek(); next !== null && next.record < record; next = await list.peek()) {
    await list.take()
    yield next
  }
}

/** The entry of a record; null if there is none. */
async function entryAt<One extends { readonly record: number }>(list: Peekable<One>, record: number) {
  for await (const _ of below(list, record));
  return (await list.peek())?.record === record ? await list.take() : null
}

/** Whether a row has the text that its record has in the file. Line ends may differ: programs write their own. */
function textComparison({ receipt, read }: Correctable) {
  const textOf = createRecordReader(receipt.encoding.name)
  const lengthMax = 4 * receipt.body.recordBytesMax
  return async (reject: Omit<Correction, 'text'>, { text, isCut }: SentRow): Promise<boolean> => {
    const { record, byteOffset, byteLength } = reject
    const isComparable = byteLength <= lengthMax
    const original = isComparable ? textOf(await read(byteOffset, byteLength), false).text : null
    if (!isCut) return original !== null && text !== null && plain(original) === plain(text)
    if (original?.startsWith(text ?? '') !== false) return true
    throw badCorrections(`the text of record ${record} is cut; take the whole text from rejects.csv`)
  }
}

function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

// Record look: records of a file that is still being read, by scanning it again from the nearest mark. Keeps none of them.
import { open } from 'node:fs/promises'
import { createCsvRewriter } from '../../csv/csv-rewriter.ts'
import { comma, FieldWalker, quote } from '../../csv/field-walker.ts'
import { fileChunks } from '../../io/chunks/file-chunks.ts'
import { readsOf } from '../../io/read-bytes.ts'
import { FewAtOnce } from '../../io/turns/few-at-once.ts'
import type { Reading } from '../../reading/reading.ts'
import type { CreateScanner, FileScanOptions, Scanned, ScannedReject } from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'
import { readTexts } from '../dataset/record-text.ts'
import type { RejectPage } from '../service.ts'
import type { Look, LookQuery } from '../uploads/upload-progress.ts'
import type { MarkingTally, RecordMark } from './record-marks.ts'

/** One request reads at most this many bytes, even if it has found less than requested. */
const bytesMax = 16 * 1_048_576
/** Bytes shown of each record, as in a receipt. */
const textBytesMax = 800
const looks = new FewAtOnce(2)

export interface LookedAt {
  readonly textPath: string
  readonly reading: Reading
  readonly layout: FileScanOptions
  readonly createScanner: CreateScanner
  readonly tally: MarkingTally
}

export class RecordLook implements Look {
  readonly #file: LookedAt

  constructor(file: LookedAt) {
    this.#file = file
  }

  async rows({ offset, limit }: LookQuery, signal: AbortSignal) {
    const { tally, reading } = this.#file
    const rows: (readonly string[])[] = []
    const cellsOf = cellReader(reading)
    await this.#scan('accepted', offset, signal, ({ pieces, accepted }, before) => {
      if (before + accepted <= offset) return true
      rows.push(...cellsOf(pieces).slice(Math.max(0, offset - before), offset - before + limit))
      return rows.length < limit
    })
    return { total: tally.accepted, offset, rows }
  }

  async rejects({ offset, limit }: LookQuery, signal: AbortSignal): Promise<RejectPage> {
    const { tally, textPath, reading } = this.#file
    const found: ScannedReject[] = []
    await this.#scan('rejected', offset, signal, ({ rejects }, before) => {
      found.push(...rejects.slice(Math.max(0, offset - before), Math.max(0, offset - before + limit)))
      return found.length < limit
    })
    await using file = await open(textPath, 'r')
    const shown = found.slice(0, limit).map(shownReject)
    return {
      total: tally.rejected,
      offset,
      rejects: await readTexts(readsOf(file), reading.encoding.name, shown, textBytesMax),
    }
  }

  /** Scans ranges that may contain records of this kind from an offset on, until `take` returns false. */
  async #scan(
    kind: 'accepted' | 'rejected',
    offset: number,
    signal: AbortSignal,
    take: (scanned: Scanned, before: number) => boolean,
  ): Promise<void> {
    const { marks } = this.#file.tally
    const list = marks.list
    let leftBytes = bytesMax
    await looks.run(async () => {
      for (const [index, mark] of list.entries()) {
        const next = list[index + 1]
        if (next !== undefined && (next[kind] === mark[kind] || next[kind] <= offset)) continue
        let before = mark[kind]
        let readTo = mark.byteOffset
        for await (const scanned of this.#between(mark, next, signal)) {
          const isEnough = !take(scanned, before)
          before += kind === 'accepted' ? scanned.accepted : scanned.rejects.length
          if (isEnough) return
          leftBytes -= scanned.consumedTo - readTo
          readTo = scanned.consumedTo
          if (leftBytes <= 0) return
        }
      }
    })
  }

  /** Scans from one mark to the next; from the last one, as far as the file is on disk and its records are complete. */
  async *#between(mark: RecordMark, next: RecordMark | undefined, signal: AbortSignal): AsyncGenerator<Scanned> {
    const { createScanner, layout, textPath } = this.#file
    const { byteOffset, records, lines } = mark
    const scanner = createScanner({ ...layout, start: { byteOffset, records, lines } })
    for await (const slices of fileChunks(textPath, byteOffset, signal, next?.byteOffset)) {
      for (const slice of slices) yield scanner.push(slice)
    }
    if (next !== undefined) yield scanner.end()
  }
}

const utf8 = new TextDecoder()

/** Returns the values of whole records as texts. */
function cellReader({ dialect }: Pick<Reading, 'dialect'>): (pieces: readonly Uint8Array[]) => string[][] {
  const rewrite = createCsvRewriter(dialect)
  const delimiter = Uint8Array.of(comma)
  const walker = new FieldWalker({ delimiter, quoteByte: quote, escapeByte: -1, lineEnd: 'lf' })
  return (pieces) => {
    const bytes = Buffer.concat(rewrite(pieces))
    const rows: string[][] = []
    walker.begin(bytes)
    while (walker.advance()) {
      const { start, end, column, isQuoted } = walker
      const text = utf8.decode(bytes.subarray(start, end))
      const value = isQuoted ? text.replaceAll('""', '"') : text
      if (column === 0) rows.push([value])
      else rows.at(-1)?.push(value)
    }
    return rows
  }
}

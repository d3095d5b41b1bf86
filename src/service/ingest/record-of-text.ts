// Record of text: reads a text as one record of a file, by the same rules as the file. Knows no file.
import type { RefusedCorrection } from '../../core/receipt.ts'
import { utf8Bytes } from '../../reading/bytes/platform-bytes.ts'
import {
  type CreateScanner,
  type FileScanOptions,
  ignoredCount,
  type Scanner,
  type ScanResult,
} from '../../reading/scanner/scanner.ts'
import { shownReject } from '../../reading/scanner/shown-reject.ts'

export type RecordOfText =
  /** `pieces` as a scanner of the file gives them, line end included. */
  | { readonly kind: 'record'; readonly pieces: readonly Uint8Array[] }
  | ({
      readonly kind: 'refused'
      /**
       * The number in its message, see `rejectTable`: a count, or an offset in the text as UTF-8; null if it has none.
       */
      readonly detail: number | null
    } & Omit<RefusedCorrection, 'record'>)

export type ReadRecord = (text: string) => RecordOfText

/** A text may include the line end of its record. */
export function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$|\r$/, '')
}

/**
 * Reads texts in the dialect of a file. They are not bytes of the file, so they have no encoding and no position in it.
 */
export function recordReader(createScanner: CreateScanner, layout: FileScanOptions): ReadRecord {
  // A submitted value is never the result of a stray quote.
  const { runaway: _, gap: __, ...dialect } = layout
  const options = { ...dialect, encoding: 'utf-8', start: { byteOffset: 0, records: 0, lines: 0 } }
  const end = layout.unusualLineEnd ?? (layout.lineEnd === 'cr' ? '\r' : '\r\n')
  // A text that is plainly one record leaves a scanner as it was, so that the next text can use it: 4 µs instead of 12
  // (2 cores, Node 24, 2026-11-28).
  let usual: { readonly scanner: Scanner; bytes: number } | null = null
  return (text) => {
    // An encoder would replace half a character with U+FFFD.
    if (!text.isWellFormed())
      return refused('invalid_bytes', 'half a character (a lone surrogate), which no file can hold')
    const bytes = utf8Bytes(text + end)
    usual ??= { scanner: createScanner(options), bytes: 0 }
    usual.bytes += bytes.length
    const { pieces: usualPieces, ...found } = usual.scanner.push(bytes)
    if (found.consumedTo === usual.bytes && found.accepted === 1 && found.rejects.length + ignoredCount(found) === 0) {
      return { kind: 'record', pieces: usualPieces.map((piece) => Uint8Array.from(piece)) }
    }
    usual = null
    const scanner = createScanner(options)
    const first = scanner.push(bytes)
    // Valid only until the next call.
    const pieces = first.pieces.map((piece) => Uint8Array.from(piece))
    const last = scanner.end()
    return recordOf([first, last], [...pieces, ...last.pieces])
  }
}

function recordOf(parts: readonly ScanResult[], pieces: readonly Uint8Array[]): RecordOfText {
  const sum = (of: (one: ScanResult) => number) => parts.reduce((total, one) => total + of(one), 0)
  const [reject] = parts.flatMap(({ rejects }) => rejects)
  const accepted = sum((one) => one.accepted)
  const others = sum(ignoredCount)
  const rejected = sum(({ rejects }) => rejects.length)
  if (reject !== undefined && accepted === 0 && rejected === 1) {
    const { column, reason, message } = shownReject(reject)
    const { detail } = reject
    return { kind: 'refused', column, reason, message, detail }
  }
  const count = accepted + rejected + others
  if (count > 1) return refused('several_records', `${count} records, expected 1: put text with line ends in quotes`)
  if (accepted === 0) return refused('no_record', 'no record: it is blank or a comment')
  return { kind: 'record', pieces }
}

function refused(reason: RefusedCorrection['reason'], message: string): RecordOfText {
  return { kind: 'refused', column: null, reason, message, detail: null }
}

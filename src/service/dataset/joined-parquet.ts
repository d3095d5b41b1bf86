// Joined Parquet: the parts of a dataset as one file, which is nowhere stored: their pages, and a footer over all of them.
import { createHash } from 'node:crypto'
import { footerLength, type JoinedParts, joinParts } from '../../columns/writer/join-parts.ts'
import { byteStream } from '../../core/byte-stream.ts'
import type { Part, Receipt } from '../../core/receipt.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { blockBytes } from '../../io/hashing/block-checksums.ts'
import type { ReadBytes } from '../../io/read-bytes.ts'
import type { Download } from '../service.ts'
import type { ReadableFiles, VerifiedFiles } from './verified-files.ts'

/** Raise the number if the same parts would be joined to other bytes. */
const tagPrefix = 'joined-1'
/** Footers are remembered for those who read ranges: some 200 bytes for each column of a row group. */
const footerBytesMax = 33_554_432
const readsAtOnce = 8
const bytesAtOnce = 16 * blockBytes

export class JoinedParquet {
  readonly #files: Pick<VerifiedFiles, 'withReads' | 'shareToRead'>
  /** By tag, the most recently used last. */
  readonly #joined = new Map<string, JoinedParts>()

  constructor(files: Pick<VerifiedFiles, 'withReads' | 'shareToRead'>) {
    this.#files = files
  }

  /** @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED */
  async of(receipt: Receipt, signal: AbortSignal): Promise<Download> {
    const { parts } = receipt
    const digest = createHash('sha256').update(tagPrefix)
    for (const { sha256 } of parts) digest.update(sha256)
    const tag = digest.digest('hex')
    const joined = this.#joined.get(tag) ?? (await this.#join(receipt, signal))
    this.#remember(tag, joined)
    const { bytes } = joined
    const open: Download['open'] = async (_signal, range = { start: 0, end: bytes }) => {
      const spans = joined.spansOf(range)
      const files = spans.flatMap((span) => ('part' in span ? (parts[span.part] ?? []) : []))
      const shared = await this.#files.shareToRead(receipt, files)
      const stream = byteStream(bytesOf(spans, parts, shared), () => shared[Symbol.asyncDispose]())
      return { stream, bytes: range.end - range.start }
    }
    return { receipt, bytes, sha256: null, tag, open }
  }

  async #join(receipt: Receipt, signal: AbortSignal): Promise<JoinedParts> {
    const footers: Uint8Array[] = []
    await forEachLimit([...receipt.parts.entries()], readsAtOnce, async ([i, part]) => {
      signal.throwIfAborted()
      footers[i] = await this.#files.withReads(receipt, part, (read) => readFooter(read, part.bytes))
    })
    return joinParts(receipt.parts.map(({ bytes }, i) => ({ bytes, footer: footers[i] ?? new Uint8Array() })))
  }

  #remember(tag: string, joined: JoinedParts): void {
    this.#joined.delete(tag)
    this.#joined.set(tag, joined)
    let bytes = [...this.#joined.values()].reduce((sum, { footer }) => sum + footer.length, 0)
    for (const [oldest, { footer }] of this.#joined) {
      if (bytes <= footerBytesMax) break
      this.#joined.delete(oldest)
      bytes -= footer.length
    }
  }
}

/** Reads the footer of a part, including the magic bytes. */
async function readFooter(read: ReadBytes, bytes: number): Promise<Uint8Array> {
  const end = await read(Math.max(0, bytes - blockBytes), Math.min(bytes, blockBytes))
  const length = footerLength(end)
  return length <= end.length ? end.subarray(end.length - length) : await read(bytes - length, length)
}

async function* bytesOf(
  spans: ReturnType<JoinedParts['spansOf']>,
  parts: readonly Part[],
  shared: ReadableFiles,
): AsyncGenerator<Uint8Array> {
  for (const span of spans) {
    if ('bytes' in span) {
      // A copy: whoever receives a chunk may release its memory.
      yield Uint8Array.from(span.bytes)
      continue
    }
    await using file = await shared.open(parts[span.part] as Part)
    // At the ends of blocks, of which each is verified as a whole.
    for (let at = span.start; at < span.end; ) {
      const next = Math.min(span.end, at - (at % bytesAtOnce) + bytesAtOnce)
      yield await file.read(at, next - at)
      at = next
    }
  }
}

// Sliced parts: reads only the row groups that a page of rows needs from parts stored elsewhere. Knows no SQL.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { footerLength, type PartSlice, slicePart } from '../../../columns/writer/part-slice.ts'
import type { Part, Receipt } from '../../../core/receipt.ts'
import { throwStoreError } from '../../../core/storage-error.ts'
import { blockBytes } from '../../../io/hashing/block-checksums.ts'
import { KeyedMutex } from '../../../io/keyed-mutex.ts'
import type { LocalCopies, SliceCopy } from '../../../store/store.ts'
import { damaged } from '../file-blocks.ts'
import type { VerifiedFiles } from '../verified-files.ts'

/** A part, or some of its row groups, as a local file. */
export interface LocalPart {
  readonly path: string
  readonly records: number
}

interface Slice extends LocalPart {
  readonly from: number
}

interface Span {
  readonly from: number
  readonly to: number
}

/** A smaller part is fetched whole: its footer and a row group would be most of it. Bytes. */
const partBytesMin = 524_288
/** A slice is in memory while it is made. Bytes. */
const sliceBytesMax = 16_777_216

export class SlicedParts {
  readonly #files: Pick<VerifiedFiles, 'withLocal' | 'readRange'>
  readonly #copies: LocalCopies | null
  /** One reader at a time makes slices of a part; those that wait use the result. */
  readonly #turns = new KeyedMutex()

  constructor(files: Pick<VerifiedFiles, 'withLocal' | 'readRange'>, copies: LocalCopies | null) {
    this.#files = files
    this.#copies = copies
  }

  /**
   * Local files that hold a window of records, verified, while `use` runs; `use` also gets the start of the window in
   * them.
   *
   * @param parts Those that the window touches.
   * @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED
   */
  async withWindow<Result>(
    receipt: Receipt,
    parts: readonly Part[],
    { offset, limit }: { readonly offset: number; readonly limit: number },
    use: (local: readonly LocalPart[], offset: number) => Promise<Result>,
  ): Promise<Result> {
    const copies = this.#copies
    if (copies === null) return await this.#withSlices(receipt, parts, new Map(), offset, use)
    // Uses no file, but makes a deletion wait.
    return await this.#files.withLocal(receipt, [], async () => {
      using held = new DisposableStack()
      const slices = new Map<Part, Slice>()
      let start = 0
      for (const part of parts) {
        const span = { from: Math.max(0, offset - start), to: Math.min(part.records, offset + limit - start) }
        const slice = await this.#turns.take(part.sha256, () => this.#slice(copies, receipt, part, span, held))
        if (slice !== null) slices.set(part, slice)
        start += part.records
      }
      return await this.#withSlices(receipt, parts, slices, offset, use)
    })
  }

  async #withSlices<Result>(
    receipt: Receipt,
    parts: readonly Part[],
    slices: ReadonlyMap<Part, Slice>,
    offset: number,
    use: (local: readonly LocalPart[], offset: number) => Promise<Result>,
  ): Promise<Result> {
    const whole = parts.filter((part) => !slices.has(part))
    const [first] = parts
    const from = (first && slices.get(first)?.from) ?? 0
    const run = (paths: readonly string[]) => {
      const local = parts.map((part) => {
        return slices.get(part) ?? { path: paths[whole.indexOf(part)] ?? part.file, records: part.records }
      })
      return use(local, offset - from)
    }
    return slices.size > 0 && whole.length === 0 ? await run([]) : await this.#files.withLocal(receipt, whole, run)
  }

  /** Null if the whole part is to be used. */
  async #slice(
    copies: LocalCopies,
    receipt: Receipt,
    part: Part,
    span: Span,
    held: DisposableStack,
  ): Promise<Slice | null> {
    const { id } = receipt
    if (span.from >= span.to || part.bytes < partBytesMin || copies.has(id, part.file)) return null
    const kept = copies.slices(id, part)
    for (const slice of kept.filter(({ from, records }) => from <= span.from && from + records >= span.to)) {
      const copy = await copies.use(id, part, slice)
      if (copy === null) continue
      const { path } = held.use(copy)
      await verifySlice(part, slice, path)
      return { path, from: slice.from, records: slice.records }
    }
    const footer = await this.#footer(receipt, part)
    const slice = footer && slicePart(footer, part.bytes, span.from, span.to)
    if (slice === null || !isWorthIt(part, kept, slice)) return null
    const { from, records, start, end } = slice
    const file = slice.file(await this.#read(receipt, part, start, end))
    const facts = { from, records, bytes: file.length, sha256: hash('sha256', file, 'hex') }
    const copy = await copies.use(id, part, facts, file)
    return copy === null ? null : { path: held.use(copy).path, from, records }
  }

  /** Null if that is much of the part. */
  async #footer(receipt: Receipt, part: Part): Promise<Uint8Array | null> {
    const { bytes } = part
    // Whole blocks must be read in any case to verify them.
    const start = bytes - blockBytes - ((bytes - blockBytes) % blockBytes)
    const end = await this.#read(receipt, part, start, bytes)
    const length = footerLength(end)
    if (length > bytes / 4) return null
    if (length <= end.length) return end.subarray(end.length - length)
    return Buffer.concat([await this.#read(receipt, part, bytes - length, start), end])
  }

  async #read(receipt: Receipt, part: Part, start: number, end: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(await this.#files.readRange(receipt, part, { start, end })))
  }
}

/** Slices of a part take at most half of its size: sequential readers are better off with the whole part. */
function isWorthIt(part: Part, kept: readonly SliceCopy[], { start, end }: PartSlice): boolean {
  const keptBytes = kept.reduce((sum, { bytes }) => sum + bytes, 0)
  return end - start <= sliceBytesMax && keptBytes + end - start <= part.bytes / 2
}

async function verifySlice(part: Part, { sha256 }: SliceCopy, path: string): Promise<void> {
  const seen = hash('sha256', await readFile(path).catch(throwStoreError), 'hex')
  if (seen !== sha256) throw damaged(part, `a slice of '${part.file}' has SHA-256 ${seen}, expected ${sha256}`)
}

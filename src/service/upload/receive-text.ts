// Receive text: the text of a file while it arrives. The text of a compressed file is stored beside the original, so
// that everything that reads records by position works as for a file that arrived as text.
import { join } from 'node:path'
import { compressionOf, signatureBytes } from '../../compression/compression.ts'
import { type DecompressLimits, decompress, type StreamEnd } from '../../compression/decompress.ts'
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import { type Note, type NoteCode, note } from '../../core/notes.ts'
import type { Compression, CompressionFormat } from '../../core/receipt.ts'
import { prepend } from '../../io/chunks/prepend.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { ArrivingFile } from '../ingest/buffer-head.ts'
import { OriginalWriter, throughDraft } from './original-writer.ts'

/** The facts of a text that has been read completely. */
export interface TextFacts {
  /** Absent if the file is its own text. */
  readonly compression?: Compression
  readonly ending: StreamEnd
  /** Checksums of the blocks of the text; none if the file is its own text. */
  readonly checksums: readonly Buffer[]
}

/** The text of one file. Disposing releases it, finished or not. */
export interface ReceivedText extends AsyncDisposable {
  /** Read it to its end, or return it. */
  readonly arriving: ArrivingFile
  /** Resolves when the text is durable. Call it after reading `arriving`. */
  finish(): Promise<TextFacts>
}

/**
 * Decompresses a file if its first bytes show a compressed format, whatever its name.
 *
 * @param draft Keeps the text of a compressed file as `text`.
 * @throws {ServiceError} DISK_FULL, STORE_FAILED; `arriving` throws what the file and decompress() do.
 */
export async function receiveText(
  file: ArrivingFile,
  draft: DraftFiles,
  limits: DecompressLimits,
): Promise<ReceivedText> {
  const iterator = file.chunks[Symbol.asyncIterator]()
  try {
    const { start, held } = await peek(iterator)
    const chunks = prepend([held], iterator)
    const format = compressionOf(start)
    if (format === null) return plainText({ ...file, chunks })
    const text = await OriginalWriter.create(join(draft.dir, 'text'))
    return new DecompressedText({ ...file, chunks }, format, limits, { text, draft })
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

const whole: StreamEnd = { isCut: false, trailingBytes: 0 }

function plainText(arriving: ArrivingFile): ReceivedText {
  return { arriving, finish: async () => ({ ending: whole, checksums: [] }), async [Symbol.asyncDispose]() {} }
}

class DecompressedText implements ReceivedText {
  readonly arriving: ArrivingFile
  readonly #format: CompressionFormat
  readonly #text: OriginalWriter
  readonly #draft: DraftFiles
  #ending = whole
  #synced = Promise.resolve()

  constructor(
    { chunks, isDuplicate }: ArrivingFile,
    format: CompressionFormat,
    limits: DecompressLimits,
    { text, draft }: { readonly text: OriginalWriter; readonly draft: DraftFiles },
  ) {
    this.#format = format
    this.#text = text
    this.#draft = draft
    this.arriving = {
      chunks: this.#kept(decompress(chunks, format, limits)),
      textPath: text.path,
      flush: () => text.flush(),
      isDuplicate,
    }
  }

  async finish(): Promise<TextFacts> {
    await this.#synced
    const { sha256, checksums } = await this.#text.digest()
    const compression = { format: this.#format, bytes: this.#text.bytes, sha256 }
    return { compression, ending: this.#ending, checksums: [checksums] }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#text[Symbol.asyncDispose]()
  }

  #kept(texts: ReturnType<typeof decompress>): AsyncGenerator<readonly BorrowedBytes[]> {
    return throughDraft(this.#ended(texts), this.#text, { draft: this.#draft, file: 'text' }, async () => {
      // Runs in parallel with the conversion of the last segments.
      this.#synced = this.#text.close()
      this.#synced.catch(() => {})
    })
  }

  async *#ended(texts: ReturnType<typeof decompress>): AsyncGenerator<readonly BorrowedBytes[]> {
    this.#ending = yield* texts
  }
}

/** What the client must know about the end of its file. `lines` is the number of lines of the text. */
export function endingNotes({ isCut, trailingBytes }: StreamEnd, lines: number): readonly Note[] {
  const notes: Note[] = []
  if (isCut) {
    const message = `The compressed data is truncated: it was read up to line ${lines}, which may be incomplete; the rest is missing.`
    notes.push(note('COMPRESSED_DATA_CUT_OFF', message, { lines: [lines] }))
  }
  if (trailingBytes > 0) {
    const bytes = trailingBytes === 1 ? '1 byte' : `${trailingBytes} bytes`
    const message = `The compressed data is followed by other data, ${bytes}: it was not read.`
    notes.push(note('COMPRESSED_DATA_FOLLOWED', message))
  }
  return notes
}

/** True for notes that also hold when the file is read again. */
export function isEndingCode(code: NoteCode): boolean {
  return code === 'COMPRESSED_DATA_CUT_OFF' || code === 'COMPRESSED_DATA_FOLLOWED'
}

/** Returns the first bytes, if there are any, and the slices read to get them. */
async function peek(iterator: AsyncIterator<readonly BorrowedBytes[]>) {
  let held: readonly BorrowedBytes[] = []
  let start: Uint8Array = new Uint8Array(0)
  while (start.length < signatureBytes) {
    const next = await iterator.next()
    // Earlier slices are no longer valid, so their few bytes are kept in `start`.
    if (next.done) return { start, held: start.length === 0 ? [] : [start] }
    const slices: readonly BorrowedBytes[] = start.length === 0 ? next.value : [start, ...next.value]
    start = Buffer.concat(slices.map((slice) => viewOf(slice.subarray(0, signatureBytes))))
    held = slices
  }
  return { start, held }
}

// Receive text: the text of a file while it arrives. Of a compressed file it is kept beside the original, so that everything
// that reads records by their place finds it as it would find a file that came as text.
import { join } from 'node:path'
import { compressionOf, signatureBytes } from '../../compression/compression.ts'
import { type DecompressLimits, decompress, type Ending } from '../../compression/decompress.ts'
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import { type Note, type NoteCode, note } from '../../core/notes.ts'
import type { Compression, CompressionFormat } from '../../core/receipt.ts'
import { inFront } from '../../io/chunks/in-front.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { ArrivingFile } from './buffer-head.ts'
import { OriginalWriter, throughDraft } from './original-writer.ts'

/** What is known of a text when all of it has been read. */
export interface TextFacts {
  /** Absent where the file is its own text. */
  readonly compression?: Compression
  readonly ending: Ending
}

/** The text of one file. Disposing lets go of it, finished or not. */
export interface ReceivedText extends AsyncDisposable {
  /** To be read to its end, or returned. */
  readonly arriving: ArrivingFile
  /** After that, resolves when the text is durable. */
  finish(): Promise<TextFacts>
  /** Of the blocks of the text; none where the file is its own text. To be asked after `finish`. */
  checksums(): readonly Buffer[]
}

/**
 * Looks at the first bytes of a file and decompresses it where they say so, whatever its name.
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
    const chunks = inFront([held], iterator)
    const format = compressionOf(start)
    if (format === null) return new PlainText({ ...file, chunks })
    const text = await OriginalWriter.create(join(draft.dir, 'text'))
    return new DecompressedText({ ...file, chunks }, format, limits, { text, draft })
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

const whole: Ending = { isCut: false, trailingBytes: 0 }

class PlainText implements ReceivedText {
  readonly arriving: ArrivingFile

  constructor(arriving: ArrivingFile) {
    this.arriving = arriving
  }

  async finish(): Promise<TextFacts> {
    return { ending: whole }
  }

  checksums(): readonly Buffer[] {
    return []
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

class DecompressedText implements ReceivedText {
  readonly arriving: ArrivingFile
  readonly #format: CompressionFormat
  readonly #text: OriginalWriter
  readonly #draft: DraftFiles
  #ending = whole
  #checksums: readonly Buffer[] = []
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
    this.#checksums = [checksums]
    const compression = { format: this.#format, bytes: this.#text.bytes, sha256 }
    return { compression, ending: this.#ending }
  }

  checksums(): readonly Buffer[] {
    return this.#checksums
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#text[Symbol.asyncDispose]()
  }

  #kept(texts: ReturnType<typeof decompress>): AsyncGenerator<readonly BorrowedBytes[]> {
    return throughDraft(this.#ended(texts), this.#text, { draft: this.#draft, file: 'text' }, async () => {
      // Beside the conversion of the last segments.
      this.#synced = this.#text.close()
      this.#synced.catch(() => {})
    })
  }

  async *#ended(texts: ReturnType<typeof decompress>): AsyncGenerator<readonly BorrowedBytes[]> {
    this.#ending = yield* texts
  }
}

/** What a client has to know of how its file ended. `lines` is the number of lines of the text. */
export function endingNotes({ isCut, trailingBytes }: Ending, lines: number): readonly Note[] {
  const notes: Note[] = []
  if (isCut) {
    const message = `The compressed data is cut off: what is there was read up to line ${lines}, which may not be whole, and what follows is missing.`
    notes.push(note('COMPRESSED_DATA_CUT_OFF', message, { lines: [lines] }))
  }
  if (trailingBytes > 0) {
    const bytes = trailingBytes === 1 ? '1 byte' : `${trailingBytes} bytes`
    const message = `Behind the compressed data there is other data, ${bytes}: it was not read.`
    notes.push(note('COMPRESSED_DATA_FOLLOWED', message))
  }
  return notes
}

/** True for what is as true of a file when it is read again. */
export function isEndingCode(code: NoteCode): boolean {
  return code === 'COMPRESSED_DATA_CUT_OFF' || code === 'COMPRESSED_DATA_FOLLOWED'
}

/** Gives the first bytes, as far as there are any, and what was taken to see them. */
async function peek(iterator: AsyncIterator<readonly BorrowedBytes[]>) {
  let held: readonly BorrowedBytes[] = []
  let start: Uint8Array = new Uint8Array(0)
  while (start.length < signatureBytes) {
    const next = await iterator.next()
    // What came before was valid until now only, so it is kept in `start`; it is a few bytes.
    if (next.done) return { start, held: start.length === 0 ? [] : [start] }
    const slices: readonly BorrowedBytes[] = start.length === 0 ? next.value : [start, ...next.value]
    start = Buffer.concat(slices.map((slice) => viewOf(slice.subarray(0, signatureBytes))))
    held = slices
  }
  return { start, held }
}

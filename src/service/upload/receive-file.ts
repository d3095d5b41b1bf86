// Receive file: finds the one file part in a multipart body and passes its bytes on. Knows nothing of CSV or of storage.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Note } from '../../core/notes.ts'
import { prepend } from '../../io/chunks/prepend.ts'
import { byteTurns } from '../../io/turns/byte-turns.ts'
import { isNestedType } from '../../multipart/content-type.ts'
import type { PartHead, PartSink } from '../../multipart/multipart.ts'
import { MultipartParser } from '../../multipart/multipart-parser.ts'
import { type OptionPart, optionParts } from '../schema/upload-options.ts'
import { IgnoredParts } from './ignored-parts.ts'

export interface ReceiveLimits {
  /** Limit for any part, in bytes. */
  readonly fileBytesMax: number
  /** Limit for the whole body, delimiters included, in bytes. */
  readonly requestBytesMax: number
}

/** The file part of a request, its bytes still arriving. */
export interface IncomingFile {
  readonly name: string
  readonly contentType: string | null
  /** Texts of the parts before the file that declare how to read it, by part name. */
  readonly texts: ReadonlyMap<OptionPart, string>
  /**
   * The bytes, as slices of the chunks that arrived. It ends only after the whole body has been read and is
   * well-formed.
   * @throws {ServiceError} BAD_MULTIPART, TWO_FILE_PARTS, EMPTY_FILE, FILE_TOO_LARGE, REQUEST_TOO_LARGE; BAD_PARAMETER
   * if a part that declares how to read the file follows it.
   */
  readonly chunks: AsyncIterable<readonly BorrowedBytes[]>
  /** About the parts that were ignored; complete once `chunks` has ended. */
  notes(): readonly Note[]
}

/** A client may send many small fields with the file: the reference takes 11,000. */
const partsMax = 20_000
/** As in the reference, which rejects "more than 10240 bytes". */
const partHeadBytesMax = 10_240
/** Enough for a schema of two thousand fields, with some words for each. */
const optionBytesMax: Readonly<Record<OptionPart, number>> = { dialect: 65_536, schema: 2_097_152 }

/**
 * Reads the body up to the beginning of the file part.
 *
 * @throws {ServiceError} MISSING_FILE_PART if the body ends without one, BAD_PARAMETER for a text that is too long or
 * given twice, and what `chunks` throws.
 */
export async function receiveFile(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  boundary: string,
  limits: ReceiveLimits,
): Promise<IncomingFile> {
  const sink = new FileSink(limits.fileBytesMax)
  const parser = new MultipartParser(boundary, { partsMax, partHeadBytesMax }, sink)
  const batches = parse(body, parser, sink, limits.requestBytesMax)
  const first = await batches.next()
  if (first.done || sink.file === null) {
    throw new ServiceError('MISSING_FILE_PART', { seen: sink.ignored.insteadOfFile() })
  }
  const { fileName, contentType } = sink.file
  return {
    name: fileName ?? '',
    contentType,
    texts: sink.texts(),
    chunks: prepend([first.value], batches),
    notes: () => sink.ignored.notes(),
  }
}

/** Yields the slices of the file once its part has begun, at first none if its bytes have not arrived. */
async function* parse(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  parser: MultipartParser,
  sink: FileSink,
  requestBytesMax: number,
): AsyncGenerator<readonly BorrowedBytes[], void> {
  let requestBytes = 0
  const turns = byteTurns.stream()
  for await (const chunks of body) {
    for (const chunk of chunks) {
      // Lets small uploads proceed beside large ones, without waiting for them.
      const turn = turns.take(chunk.length)
      if (turn !== null) {
        if (sink.file !== null) yield sink.take()
        await turn
      }
      requestBytes += chunk.length
      if (requestBytes > requestBytesMax) throw new ServiceError('REQUEST_TOO_LARGE', { limitBytes: requestBytesMax })
      parser.push(chunk)
    }
    if (sink.file !== null) yield sink.take()
  }
  parser.end()
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Without a byte order mark, which some editors write. A wrong byte must not become another declaration. */
function textOf(name: OptionPart, bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ServiceError('BAD_PARAMETER', { name, seen: 'it is not UTF-8', expected: 'JSON in UTF-8' })
  }
}

/** Sorts what the parser finds: the file's bytes, texts that declare how to read it, and parts that it ignores. */
class FileSink implements PartSink {
  file: PartHead | null = null
  readonly ignored = new IgnoredParts()
  readonly #partBytesMax: number
  readonly #options = new Map<OptionPart, string>()
  #slices: BorrowedBytes[] = []
  /** The option part that is being collected, and its bytes. */
  #option: { readonly name: OptionPart; readonly pieces: Uint8Array[] } | null = null
  #partBytes = 0
  #inFile = false
  /** True in a file part without a name, as browsers send one for an empty field. */
  #inNamelessFile = false
  #hasNamelessContent = false

  constructor(partBytesMax: number) {
    this.#partBytesMax = partBytesMax
  }

  head(part: PartHead): void {
    this.#partBytes = 0
    this.#option = null
    const isFile = part.name === 'file' && part.fileName !== null
    // Rule 3 of the specification: a file part has a file name. A plain field named `file` is another field.
    this.#inFile = isFile && part.fileName !== ''
    this.#inNamelessFile = isFile && part.fileName === ''
    if (this.#inFile) {
      if (this.file !== null || this.#hasNamelessContent) throw new ServiceError('TWO_FILE_PARTS', {})
      if (isNestedType(part.contentType)) {
        const problem =
          "the part named 'file' is itself multipart, expected the file's own bytes (RFC 7578 section 4.3)"
        throw new ServiceError('BAD_MULTIPART', { problem })
      }
      this.file = part
      return
    }
    const name = optionParts.find((one) => one === part.name)
    if (name !== undefined) this.#option = { name, pieces: [] }
    else this.ignored.add(part)
  }

  data(bytes: BorrowedBytes): void {
    this.#partBytes += bytes.length
    if (this.#partBytes > this.#partBytesMax) {
      throw new ServiceError('FILE_TOO_LARGE', { limitBytes: this.#partBytesMax })
    }
    if (this.#inFile) this.#slices.push(bytes)
    else if (this.#option !== null) this.#collect(this.#option, bytes)
    else if (this.#inNamelessFile) this.#markNamelessContent()
  }

  end(): void {
    if (this.#inFile && this.#partBytes === 0) throw new ServiceError('EMPTY_FILE', {})
    if (this.#option !== null) this.#keep(this.#option.name, Buffer.concat(this.#option.pieces))
    this.#inFile = false
  }

  /** Its bytes must not be lost because another part has a name. */
  #markNamelessContent(): void {
    this.#hasNamelessContent = true
    if (this.file !== null) throw new ServiceError('TWO_FILE_PARTS', {})
  }

  #collect({ name, pieces }: { readonly name: OptionPart; readonly pieces: Uint8Array[] }, bytes: BorrowedBytes): void {
    const bytesMax = optionBytesMax[name]
    if (this.#partBytes > bytesMax) {
      throw new ServiceError('BAD_PARAMETER', { name, seen: 'it is longer', expected: `at most ${bytesMax} bytes` })
    }
    pieces.push(Uint8Array.from(bytes))
  }

  #keep(name: OptionPart, bytes: Buffer): void {
    // Clients made for the original service may send fields of these names that mean something else.
    if (!/^\s*\{/.test(bytes.toString())) {
      this.ignored.addOption(name)
      return
    }
    // Ignoring it would silently disregard the client's declarations.
    if (this.file !== null) {
      const expected = 'it before the file, which is read while it arrives'
      throw new ServiceError('BAD_PARAMETER', { name, seen: 'it comes after the file', expected })
    }
    if (this.#options.has(name)) {
      throw new ServiceError('BAD_PARAMETER', { name, seen: 'it is given twice', expected: 'it once' })
    }
    this.#options.set(name, textOf(name, bytes))
  }

  /** The file's slices since the last call. */
  take(): readonly BorrowedBytes[] {
    const slices = this.#slices
    this.#slices = []
    return slices
  }

  texts(): ReadonlyMap<OptionPart, string> {
    return new Map(this.#options)
  }
}

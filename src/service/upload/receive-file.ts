// Receive file: finds the one file part in a multipart body and passes its bytes on. Knows nothing of CSV or of storage.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import { isMultipartType } from '../../multipart/content-type.ts'
import type { MultipartParser, PartHead, PartSink } from '../../multipart/multipart.ts'
import { createMultipartParser } from '../../multipart/multipart-parser.ts'

export interface ReceiveLimits {
  /** Of any part, in bytes. */
  readonly fileBytesMax: number
  /** Of the whole body, delimiters included, in bytes. */
  readonly requestBytesMax: number
}

/** The file part of a request, its bytes still arriving. */
export interface IncomingFile {
  readonly name: string
  readonly contentType: string | null
  /** Texts of the parts before the file that declare how to read it, by part name. */
  readonly texts: ReadonlyMap<OptionPart, string>
  /**
   * The bytes in slices of the chunks as they came. It ends only when the whole body has been read and is well-formed.
   * @throws {ServiceError} BAD_MULTIPART, TWO_FILE_PARTS, EMPTY_FILE, FILE_TOO_LARGE, REQUEST_TOO_LARGE; BAD_PARAMETER
   * when a part that declares how to read it comes only after it.
   */
  readonly chunks: AsyncIterable<readonly BorrowedBytes[]>
}

const optionParts = ['dialect', 'schema'] as const
export type OptionPart = (typeof optionParts)[number]

/** A client may send many small fields with the file: the reference takes 11,000. */
const partsMax = 20_000
/** As in the reference, which rejects "more than 10240 bytes". */
const partHeadBytesMax = 10_240
/** A schema has room for two thousand fields, with some words for each. */
const optionBytesMax: Readonly<Record<OptionPart, number>> = { dialect: 65_536, schema: 2_097_152 }

/**
 * Reads the body up to the beginning of the file part.
 *
 * @throws {ServiceError} MISSING_FILE_PART when the body ends without one, BAD_PARAMETER for a text that is too long or
 * given twice, and what `chunks` throws.
 */
export async function receiveFile(
  body: AsyncIterable<BorrowedBytes>,
  boundary: string,
  limits: ReceiveLimits,
): Promise<IncomingFile> {
  const sink = new FileSink(limits.fileBytesMax)
  const parser = createMultipartParser(boundary, { partsMax, partHeadBytesMax }, sink)
  const batches = parse(body, parser, sink, limits.requestBytesMax)
  while (sink.file === null) {
    const next = await batches.next()
    if (next.done) throw new ServiceError('MISSING_FILE_PART', {})
  }
  const { fileName, contentType } = sink.file
  return { name: fileName ?? '', contentType, texts: sink.texts(), chunks: fileChunks(sink, batches) }
}

async function* parse(
  body: AsyncIterable<BorrowedBytes>,
  parser: MultipartParser,
  sink: FileSink,
  requestBytesMax: number,
): AsyncGenerator<void, void> {
  let requestBytes = 0
  for await (const chunk of body) {
    requestBytes += chunk.length
    if (requestBytes > requestBytesMax) throw new ServiceError('REQUEST_TOO_LARGE', { limitBytes: requestBytesMax })
    parser.push(chunk)
    if (sink.file !== null) yield
  }
  parser.end()
  if (sink.file !== null) yield
}

async function* fileChunks(sink: FileSink, batches: AsyncGenerator<void, void>) {
  try {
    do {
      const slices = sink.take()
      if (slices.length > 0) yield slices
    } while (!(await batches.next()).done)
  } finally {
    await batches.return()
  }
}

/** Sorts what the parser finds: the file's bytes, texts that declare how to read it, and unknown parts, which it ignores. */
class FileSink implements PartSink {
  file: PartHead | null = null
  readonly #partBytesMax: number
  readonly #options = new Map<OptionPart, Uint8Array[]>()
  #slices: BorrowedBytes[] = []
  /** The option part that is being collected. */
  #option: OptionPart | null = null
  #partBytes = 0
  #inFile = false

  constructor(partBytesMax: number) {
    this.#partBytesMax = partBytesMax
  }

  head(part: PartHead): void {
    this.#partBytes = 0
    this.#option = null
    // Rule 3 of the specification: a file part has a file name. A plain field named `file` is another field.
    this.#inFile = part.name === 'file' && part.fileName !== null
    if (this.#inFile) {
      if (this.file !== null) throw new ServiceError('TWO_FILE_PARTS', {})
      if (isMultipartType(part.contentType)) {
        const problem = "the part named 'file' is itself multipart, wanted the file's own bytes (RFC 7578 section 4.3)"
        throw new ServiceError('BAD_MULTIPART', { problem })
      }
      this.file = part
      return
    }
    const option = optionParts.find((name) => name === part.name)
    if (option === undefined) return
    // Ignoring it would silently disregard what the client declares.
    if (this.file !== null) {
      const wanted = 'it before the file, which is read while it arrives'
      throw new ServiceError('BAD_PARAMETER', { name: option, seen: 'it comes after the file', wanted })
    }
    if (this.#options.has(option)) {
      throw new ServiceError('BAD_PARAMETER', { name: option, seen: 'it is given twice', wanted: 'it once' })
    }
    this.#option = option
    this.#options.set(option, [])
  }

  data(bytes: BorrowedBytes): void {
    this.#partBytes += bytes.length
    if (this.#partBytes > this.#partBytesMax) {
      throw new ServiceError('FILE_TOO_LARGE', { limitBytes: this.#partBytesMax })
    }
    if (this.#inFile) this.#slices.push(bytes)
    else if (this.#option !== null) this.#collect(this.#option, bytes)
  }

  end(): void {
    if (this.#inFile && this.#partBytes === 0) throw new ServiceError('EMPTY_FILE', {})
    this.#inFile = false
  }

  #collect(option: OptionPart, bytes: BorrowedBytes): void {
    const bytesMax = optionBytesMax[option]
    if (this.#partBytes > bytesMax) {
      throw new ServiceError('BAD_PARAMETER', {
        name: option,
        seen: 'it is longer',
        wanted: `at most ${bytesMax} bytes`,
      })
    }
    this.#options.get(option)?.push(Uint8Array.from(bytes))
  }

  /** The file's slices since the last call. */
  take(): readonly BorrowedBytes[] {
    const slices = this.#slices
    this.#slices = []
    return slices
  }

  texts(): ReadonlyMap<OptionPart, string> {
    return new Map(Array.from(this.#options, ([name, pieces]) => [name, Buffer.concat(pieces).toString('utf8')]))
  }
}

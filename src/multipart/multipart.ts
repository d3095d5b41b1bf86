// Multipart: the interface of a parser of multipart bodies. Bytes go in, parts come out; it knows nothing of HTTP or CSV.
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'

/** The head of one part, its names already unquoted and decoded. */
export interface PartHead {
  /** Value of `name` in `Content-Disposition: form-data`; null if the part has none or is not form-data. */
  readonly name: string | null
  /**
   * The last path segment of `filename*` or `filename`: empty if that is empty, null if there is neither, or no
   * form-data.
   */
  readonly fileName: string | null
  /** `Content-Type` of the part as sent; null if there is none. */
  readonly contentType: string | null
}

export interface MultipartLimits {
  readonly partsMax: number
  /** Header lines of one part with their line ends, including the empty line. */
  readonly partHeadBytesMax: number
}

/** What the parser calls, in the order of the body: head, data…, end, for each part. */
export interface PartSink {
  head(part: PartHead): void
  /**
   * Never empty. A slice of the last chunk, not copied; if a chunk ended in a possible delimiter, a few bytes of the
   * parser's own come first.
   */
  data(bytes: BorrowedBytes): void
  end(): void
}

export interface MultipartParser {
  /**
   * Calls the sink for everything that the chunk completes. Anything after the closing delimiter, or after an error, is
   * ignored.
   *
   * @throws {ServiceError} BAD_MULTIPART if the bytes break the format; the parser is then finished. Errors of the sink
   * are passed on, and also end the parser.
   */
  push(chunk: BorrowedBytes): void
  /**
   * Call it when the body has ended. A body in which no delimiter began simply has no part.
   *
   * @throws {ServiceError} BAD_MULTIPART if the closing delimiter is missing, or `push` has thrown before.
   */
  end(): void
}

// Multipart: the interface of a parser of multipart bodies. Bytes go in, parts come out; it knows nothing of HTTP or CSV.
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'

/** The head of one part, its names already unquoted and decoded. */
export interface PartHead {
  /** Value of `name` in `Content-Disposition: form-data`; null when the part has none or is not form-data. */
  readonly name: string | null
  /** The last path segment of `filename*` or `filename`: empty when that is, null when there is neither or no form-data. */
  readonly fileName: string | null
  /** `Content-Type` of the part as sent; null when there is none. */
  readonly contentType: string | null
}

export interface MultipartLimits {
  readonly partsMax: number
  /** Header lines of one part with their line ends, the empty line included. */
  readonly partHeadBytesMax: number
}

/** What the parser calls, in the order of the body: head, data…, end, for each part. */
export interface PartSink {
  head(part: PartHead): void
  /**
   * Never empty. A slice of the chunk last pushed, not copied; where a chunk ended in what could have been a delimiter,
   * first a few bytes of the parser's own.
   */
  data(bytes: BorrowedBytes): void
  end(): void
}

export interface MultipartParser {
  /**
   * Calls the sink for everything that the chunk completes. What follows the closing delimiter, or an error, is ignored.
   *
   * @throws {ServiceError} BAD_MULTIPART when the bytes break the format; the parser is then finished. What the sink
   * throws is passed on, and ends the parser too.
   */
  push(chunk: BorrowedBytes): void
  /**
   * To be called when the body has ended. A body in which no delimiter began simply has no part.
   *
   * @throws {ServiceError} BAD_MULTIPART when the closing delimiter is missing, or `push` has thrown before.
   */
  end(): void
}

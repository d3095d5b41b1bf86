// Multipart: the options and results of a parser of multipart bodies. Knows nothing of HTTP or CSV.
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

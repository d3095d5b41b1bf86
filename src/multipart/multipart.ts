// Multipart: what the parser of a multipart body promises. Bytes go in, parts come out; it knows nothing of HTTP or CSV.

/** The head of one part, its names already unquoted and decoded. */
export interface PartHead {
  /** Value of `name` in `Content-Disposition: form-data`; null when the part has none or is no form-data. */
  readonly name: string | null
  /** The last path segment of `filename*` or `filename`; null when there is neither or it is empty. */
  readonly fileName: string | null
  /** `Content-Type` of the part as sent; null when there is none. */
  readonly contentType: string | null
}

export interface MultipartLimits {
  readonly partsMax: number
  readonly partHeadBytesMax: number
}

/** What the parser calls, in the order of the body: head, data…, end, for each part. */
export interface PartSink {
  head(part: PartHead): void
  /** A slice of the chunk last pushed: never empty, not copied, owned by the caller of `push`. */
  data(bytes: Uint8Array): void
  end(): void
}

export interface MultipartParser {
  /** @throws {ServiceError} BAD_MULTIPART when the bytes break the format; the parser is then finished. */
  push(chunk: Uint8Array): void
  /** To be called when the body has ended. @throws {ServiceError} BAD_MULTIPART when the closing delimiter is missing. */
  end(): void
}

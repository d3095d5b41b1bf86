// Meter: the interface through which requests and scrubs are counted, and metrics are read. Interface only.

/** A request that has been answered, or whose client has disconnected. */
export interface AnsweredRequest {
  readonly method: string
  /** Pattern of the route; null if there is none. */
  readonly route: string | null
  /** Null if the client disconnected before a response began. */
  readonly status: number | null
  /** Bytes on the connection, heads included. */
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly durationMs: number
}

export interface Meter {
  answered(request: AnsweredRequest): void
  /** A request whose head could not be read has been answered with this status. */
  unreadable(status: number): void
  /** Content type of `text`. */
  readonly mediaType: string
  /** The current value of every metric. */
  text(): Promise<string>
}

/** What is counted about scrubs. */
export interface ScrubMeter {
  read(bytes: number): void
  damaged(): void
  /** A scrub has checked every dataset. Epoch milliseconds. */
  finished(atMs: number): void
}

/** One attempt of a call of a bucket, such as `PutObject`. Its bodies have as many bytes as they declare. */
export interface BucketRequest extends Omit<AnsweredRequest, 'method' | 'route'> {
  readonly operation: string
  readonly isRetry: boolean
}

/** What is counted about a bucket and the local copies of its files. */
export interface BucketMeter {
  requested(request: BucketRequest): void
  /** A local copy was wanted. */
  cached(isHit: boolean): void
}

/** Counts nothing: for tests, and for callers who count elsewhere. */
export const noMeter: Meter = {
  answered: () => {},
  unreadable: () => {},
  mediaType: 'text/plain; charset=utf-8',
  text: async () => '',
}

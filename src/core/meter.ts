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

/** A request to a bucket: one attempt of a call. */
export interface BucketRequest {
  /** As the API names it: `PutObject`. */
  readonly operation: string
  /** Null if there was no response. */
  readonly status: number | null
  readonly isRetry: boolean
  /** Bytes of the bodies, as declared. */
  readonly sentBytes: number
  readonly receivedBytes: number
  /** Until the response began. */
  readonly durationMs: number
}

/** What is counted about a bucket and the local copies of its files. */
export interface BucketMeter {
  requested(request: BucketRequest): void
  /** A local copy was wanted, and was there or had to be fetched. */
  cached(isHit: boolean): void
}

/** Counts nothing: for tests, and for callers who count elsewhere. */
export const noMeter: Meter = {
  answered: () => {},
  unreadable: () => {},
  mediaType: 'text/plain; charset=utf-8',
  text: async () => '',
}

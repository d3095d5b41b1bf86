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

/** Counts nothing: for tests, and for callers who count elsewhere. */
export const noMeter: Meter = {
  answered: () => {},
  unreadable: () => {},
  mediaType: 'text/plain; charset=utf-8',
  text: async () => '',
}

// Meter: what requests and scrubs report, and where the HTTP side gets the metrics of the whole service from. Interface only.

/** A request that has its answer, or whose client has gone. */
export interface AnsweredRequest {
  readonly method: string
  /** Pattern of the route; null where there is none. */
  readonly route: string | null
  /** Null where the client went before an answer began. */
  readonly status: number | null
  /** Bytes of the connection, heads included. */
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly durationMs: number
}

export interface Meter {
  answered(request: AnsweredRequest): void
  /** Content type of `text`. */
  readonly mediaType: string
  /** Every figure as it is now. */
  text(): Promise<string>
}

/** What is counted of scrubs. */
export interface ScrubMeter {
  read(bytes: number): void
  damaged(): void
  /** A scrub has looked at every dataset. Epoch milliseconds. */
  finished(atMs: number): void
}

/** Counts nothing: for tests, and for who counts elsewhere. */
export const noMeter: Meter = {
  answered: () => {},
  mediaType: 'text/plain; charset=utf-8',
  text: async () => '',
}

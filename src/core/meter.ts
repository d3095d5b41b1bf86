// Meter: what the HTTP side tells of its requests, and where it gets the figures of the whole service from. Interface only.

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

/** Counts nothing: for tests, and for who counts elsewhere. */
export const noMeter: Meter = {
  answered: () => {},
  mediaType: 'text/plain; charset=utf-8',
  text: async () => '',
}

// Error row: the structure of a row in the table of errors. Knows no error.

/** The message and the status of an error. */
export interface Row<Details> {
  readonly status: number
  /** Fully qualified name of the exception, as shown in the error record. */
  readonly exception: string
  readonly message: (details: Details) => string
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retryAfterSeconds?: number
}

/** Makes a row of the table of errors. */
export function row<Details = Record<never, never>>(
  status: number,
  exception: string,
  message: string | ((details: Details) => string),
  retryAfterSeconds?: number,
): Row<Details> {
  const text = typeof message === 'string' ? () => message : message
  return { status, exception, message: text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
}

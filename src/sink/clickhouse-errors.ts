// ClickHouse errors: which of them are temporary, and which ones a dataset's owner may see.
import { ClickHouseError } from './clickhouse-client.ts'
import { SinkError } from './sink.ts'

/** The database's own message for errors that the person who requested the copy can correct. */
export function sinkError(error: unknown): SinkError {
  if (error instanceof SinkError) return error
  if (!(error instanceof ClickHouseError)) {
    return isLostError(error)
      ? new SinkError('The database cannot be reached', true, error)
      : new SinkError('The database refuses the connection or the copy', false, error)
  }
  const { code, status, message } = error
  if (code === null ? transientStatuses.has(status) : transientCodes.has(code)) {
    return new SinkError('The database is not available', true, error)
  }
  if (code !== null && racedCodes.has(code)) return new SinkError('The table is in use by others', true, error)
  if ((code === null && status !== 414) || hiddenCodes.has(code ?? 0)) {
    return new SinkError('The database refuses the connection or the copy', false, error)
  }
  // The name of its user is for the operator only.
  const shown = message.replace(/^.*?: (?=Not enough privileges)/s, '')
  return new SinkError(`The database refuses the copy: ${shown}`, false, error)
}

/** True if it is unknown whether a statement was executed. */
export function isLostError(error: unknown): boolean {
  if (error instanceof ClickHouseError) {
    return error.code === null ? transientStatuses.has(error.status) : transientCodes.has(error.code)
  }
  if (!(error instanceof Error)) return false
  return 'code' in error && /^(?:E[A-Z0-9]+|EAI_AGAIN|HPE_[A-Z_]+)$/.test(String(error.code))
}

/** From proxies, and from a server that is starting, stopping or overloaded. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Time, memory, disk, connections, Keeper, quotas, killed statements: `ErrorCodes.cpp` has the names. */
const transientCodes: ReadonlySet<number> = new Set([
  159, 160, 198, 201, 202, 203, 209, 210, 225, 236, 241, 242, 243, 244, 252, 254, 279, 285, 286, 319, 341, 364, 394,
  425, 439, 473, 499, 692, 696, 700, 722, 733, 745, 999, 1000,
])
/** Tables that were created, dropped or changed in the meantime. */
const racedCodes: ReadonlySet<number> = new Set([57, 60, 218])
/** Errors that only the operator can correct: users, passwords, addresses, database names. */
const hiddenCodes: ReadonlySet<number> = new Set([81, 192, 193, 194, 195, 514, 516])

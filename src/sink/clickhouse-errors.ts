// ClickHouse errors: what of them passes, and what of them its owner is shown.
import { ClickHouseError } from './clickhouse-client.ts'
import { SinkError } from './sink.ts'

/** What the person who asked for the copy can do something about is said as the database says it. */
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
  // The name of its user is for the operator.
  const shown = message.replace(/^.*?: (?=Not enough privileges)/s, '')
  return new SinkError(`The database refuses the copy: ${shown}`, false, error)
}

/** True where nobody knows whether a statement was done. */
export function isLostError(error: unknown): boolean {
  if (error instanceof ClickHouseError) {
    return error.code === null ? transientStatuses.has(error.status) : transientCodes.has(error.code)
  }
  if (!(error instanceof Error)) return false
  return 'code' in error && /^(?:E[A-Z0-9]+|EAI_AGAIN|HPE_[A-Z_]+)$/.test(String(error.code))
}

/** Of proxies, and of a server that starts, ends or has too much to do. */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Time, memory, disk, connections, Keeper, quotas, statements that were ended: `ErrorCodes.cpp` has the names. */
const transientCodes: ReadonlySet<number> = new Set([
  159, 160, 198, 201, 202, 203, 209, 210, 225, 236, 241, 242, 243, 244, 252, 254, 279, 285, 286, 319, 341, 364, 394,
  425, 439, 473, 499, 692, 696, 700, 722, 733, 745, 999, 1000,
])
/** Tables that came, went or changed meanwhile. */
const racedCodes: ReadonlySet<number> = new Set([57, 60, 218])
/** What only the operator can do something about: users, passwords, addresses, names of databases. */
const hiddenCodes: ReadonlySet<number> = new Set([81, 192, 193, 194, 195, 514, 516])

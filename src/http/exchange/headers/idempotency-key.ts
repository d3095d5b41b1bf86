// Idempotency key: reads the header with which a client identifies a request that it may repeat. Knows no route.
import { ServiceError } from '../../../core/errors.ts'

const keyLengthMax = 255

/**
 * The key in an `Idempotency-Key` header: a quoted string, as in the draft, or bare, as most clients send it.
 * BAD_REQUEST if it is invalid, for the service to throw: other errors come before it.
 */
export function idempotencyKey(lines: readonly string[]): string | ServiceError | null {
  const [line] = lines
  if (line === undefined || (lines.length === 1 && line.trim() === '')) return null
  const [, quoted, bare] = /^(?:"((?:[ !#-[\]-~]|\\["\\])*)"|([!#-+\--:<-~]+))$/.exec(line.trim()) ?? []
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? ''
  if (lines.length === 1 && key !== '' && key.length <= keyLengthMax) return key
  const problem = `its Idempotency-Key is invalid, expected one text of 1 to ${keyLengthMax} visible ASCII characters`
  return new ServiceError('BAD_REQUEST', { problem })
}

// Caller: what the key of a client allows on a server, as the server sends it. Knows no request.
import { ClientError } from './client-error.ts'

interface Quota {
  readonly used: number
  readonly max: number | null
}

/** The members of the response that the command line shows; the rest is passed on unchanged. */
export interface Caller {
  readonly name: string | null
  readonly owner: string | null
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  readonly bytes: Quota
  readonly datasets: Quota
  readonly limits: {
    readonly fileBytesMax: number
    readonly requestBytesMax: number
    readonly requestsPerMinuteMax: number | null
  }
}

/** Parses the response of `/qas/caller`. @throws {ClientError} wrong, if it lacks required members */
export function readCaller(value: unknown): Caller {
  const caller = value as Caller | null // checked here
  if (Array.isArray(caller?.scopes) && caller.bytes && caller.datasets && caller.limits) return caller
  throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it describes no caller' })
}

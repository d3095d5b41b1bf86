// Bearer tokens: identifies callers by JSON Web Tokens from another issuer, whose public keys may be fetched from its address.
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { ServiceError } from '../core/errors.ts'
import { type Caller, type Scope, scopes, tokenOwnerPrefix } from './access.ts'

export interface TokenOptions {
  /** The issuer's public keys: the address of a JWK Set, or the set itself. */
  readonly keySet: URL | object
  /** What `iss` must be. */
  readonly issuer: string
  /** What `aud` must name. */
  readonly audience: string
}

/** Asymmetric signatures only: tokens signed with a shared secret, or not at all, are never accepted. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const clockToleranceSeconds = 30
const ownerLengthMax = 200

/** Identifies the caller by a token. @throws {ServiceError} UNAUTHORIZED, ISSUER_UNAVAILABLE */
export type ReadToken = (token: string) => Promise<Caller>

/** `sub` is the owner, `scope` (or `scp`) lists what they may do: `upload read delete`. */
export function createTokenReader({ keySet, issuer, audience }: TokenOptions): ReadToken {
  // The shape of a set is checked by the call.
  const keys = keySet instanceof URL ? issuerKeys(keySet) : createLocalJWKSet(keySet as JSONWebKeySet)
  return async (token) => {
    try {
      const options = {
        issuer,
        audience,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp', 'sub'],
      }
      const { payload } = await jwtVerify(token, keys, options)
      return callerOf(payload)
    } catch (error) {
      if (error instanceof ServiceError) throw error
      // A token whose key cannot be fetched is neither valid nor invalid.
      if (error instanceof IssuerError) throw new ServiceError('ISSUER_UNAVAILABLE', {}, error)
      const problem = 'the token is not valid here'
      throw new ServiceError('UNAUTHORIZED', { problem }, error instanceof errors.JOSEError ? undefined : error)
    }
  }
}

function callerOf(payload: JWTPayload): Caller {
  // jose checks that the claim is there; a number or an object is not an owner.
  const sub: unknown = payload.sub
  if (typeof sub !== 'string' || sub === '' || sub.length > ownerLengthMax) {
    throw new ServiceError('UNAUTHORIZED', { problem: 'the token has no subject' })
  }
  const given = [payload.scope, payload.scp].flatMap((claim) => (typeof claim === 'string' ? claim.split(' ') : claim))
  return {
    owner: tokenOwnerPrefix + sub,
    name: `token of ${sub}`,
    scopes: new Set(scopes.filter((scope: Scope) => given.includes(scope))),
    // jose requires it, as a number.
    expiresAtMs: (payload.exp ?? 0) * 1_000,
  }
}

/** The issuer did not return its keys. */
class IssuerError extends Error {
  override readonly name = 'IssuerError'
}

/** After a failure the issuer is queried again after this time, which doubles with every further failure. Milliseconds. */
const backOffMs = 1_000
const backOffMsMax = 60_000

/**
 * The keys at an address. jose caches them for ten minutes, and asks again for a key that it does not know at most every
 * 30 seconds.
 *
 * @returns a function that throws IssuerError while the issuer fails, without asking it during the back-off.
 */
function issuerKeys(address: URL): JWTVerifyGetKey {
  let failureCount = 0
  let retryAtMs = Number.NEGATIVE_INFINITY
  const fetchKeys = async (url: string, options: RequestInit): Promise<Response> => {
    if (performance.now() < retryAtMs) throw new IssuerError('Cannot fetch keys: the issuer has just failed')
    try {
      const keys = await fetched(url, options)
      failureCount = 0
      return keys
    } catch (error) {
      retryAtMs = performance.now() + Math.min(backOffMs * 2 ** failureCount, backOffMsMax)
      failureCount += 1
      throw new IssuerError('Cannot fetch keys: the issuer failed', { cause: error })
    }
  }
  return createRemoteJWKSet(address, { [customFetch]: fetchKeys })
}

/** The response, read to its end. @throws if it is not a set of keys. */
async function fetched(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  const content: unknown = response.status === 200 ? await response.json() : null
  if (typeof content === 'object' && content !== null && 'keys' in content && Array.isArray(content.keys)) {
    return Response.json(content)
  }
  throw new Error(`It answered ${response.status} without a list "keys"`)
}

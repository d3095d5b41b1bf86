// Issuer keys: the public keys of a token issuer, fetched from its address. Knows no tokens.
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'

/** The issuer did not return its keys. */
export class IssuerError extends Error {
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
export function issuerKeys(address: URL): JWTVerifyGetKey {
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

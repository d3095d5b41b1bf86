// Create access: combines the ways to identify callers: API keys, tokens, or both.
import { ServiceError } from '../core/errors.ts'
import type { Access } from './access.ts'
import { type Key, KeyRing, secretPrefix } from './api-keys.ts'
import { createTokenReader, type TokenOptions } from './bearer-tokens.ts'

export interface AccessOptions {
  readonly keys: readonly Key[]
  /** Null if tokens are not accepted. */
  readonly tokens: TokenOptions | null
}

/** Access whose keys can be replaced: from then on, only the new ones are valid. */
export interface KeyedAccess extends Access {
  setKeys(keys: readonly Key[]): void
}

/** Requires every caller to authenticate. */
export function createAccess({ keys, tokens }: AccessOptions): KeyedAccess {
  let ring = new KeyRing(keys)
  const readToken = tokens === null ? null : createTokenReader(tokens)
  return {
    setKeys: (others) => {
      ring = new KeyRing(others)
    },
    async identify(authorization) {
      if (authorization === undefined)
        throw new ServiceError('UNAUTHORIZED', { problem: 'it has no Authorization header' })
      const credential = /^bearer +([\w.~+/=-]{1,8000})$/i.exec(authorization)?.[1]
      if (credential === undefined)
        throw new ServiceError('UNAUTHORIZED', { problem: 'its Authorization header is not a bearer key' })
      if (readToken !== null && !credential.startsWith(secretPrefix)) return await readToken(credential)
      const caller = ring.find(credential)
      if (caller === null) throw new ServiceError('UNAUTHORIZED', { problem: 'the key is unknown or has expired' })
      return caller
    },
  }
}

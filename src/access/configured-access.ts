// Configured access: how callers are told, as the options of the service say. Reads the files they name.
import { readFileSync } from 'node:fs'
import { type Access, openAccess } from './access.ts'
import { KeysError, parseKeys } from './api-keys.ts'
import type { TokenOptions } from './bearer-tokens.ts'
import { createAccess } from './create-access.ts'

export interface AccessConfig {
  /** A file of keys, or its content; empty for none. */
  readonly keys: string
  /** Address or file of a JWK Set; empty where no tokens are taken. */
  readonly jwtKeys: string
  readonly jwtIssuer: string
  readonly jwtAudience: string
}

/** @throws {KeysError} when a file cannot be read or holds something else. */
export function configuredAccess(config: AccessConfig): Access {
  if (config.keys === '' && config.jwtKeys === '') return openAccess
  const keys = config.keys === '' ? [] : parseKeys(contentOf(config.keys, '--keys'))
  return createAccess({ keys, tokens: config.jwtKeys === '' ? null : tokenOptions(config) })
}

function tokenOptions({ jwtKeys, jwtIssuer, jwtAudience }: AccessConfig): TokenOptions {
  if (jwtIssuer === '') throw new KeysError('Cannot use --jwt-keys: given without --jwt-issuer')
  const facts = { issuer: jwtIssuer, audience: jwtAudience }
  if (/^https?:/i.test(jwtKeys)) return { ...facts, keySet: addressOf(jwtKeys) }
  try {
    const keySet: unknown = JSON.parse(contentOf(jwtKeys, '--jwt-keys'))
    if (typeof keySet === 'object' && keySet !== null && 'keys' in keySet) return { ...facts, keySet }
  } catch (error) {
    if (error instanceof KeysError) throw error
  }
  throw new KeysError('Cannot use --jwt-keys: wanted a JWK Set, a JSON object with a list "keys"')
}

/** Only over TLS, unless the issuer is on this machine: whoever can change the keys can be anybody. */
function addressOf(text: string): URL {
  const url = URL.parse(text)
  const isLocal = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  if (url === null || (url.protocol !== 'https:' && !isLocal)) {
    throw new KeysError(`Cannot use --jwt-keys: given ${JSON.stringify(text)}, wanted an https address`)
  }
  return url
}

function contentOf(given: string, flag: string): string {
  if (given.startsWith('{')) return given
  try {
    return readFileSync(given, 'utf8')
  } catch (error) {
    throw new KeysError(`Cannot use ${flag}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

// Configured access: how callers are identified, as the options of the service say. Reads the files they name.
import { type Access, openAccess } from './access.ts'
import { KeysError, parseKeys } from './api-keys.ts'
import type { TokenOptions } from './bearer-tokens.ts'
import { createAccess, type KeyedAccess } from './create-access.ts'
import { type AccessLogger, KeyFile, readTrustedFile } from './key-file.ts'

export interface AccessConfig {
  /** A file of keys, or its content; empty for none. */
  readonly keys: string
  /** URL or file of a JWK Set; empty if tokens are not accepted. */
  readonly jwtKeys: string
  readonly jwtIssuer: string
  readonly jwtAudience: string
}

/** Access whose keys can change while it is in use. Disposing it stops that. */
export interface ConfiguredAccess extends Disposable {
  readonly access: Access
  /** Reads the file of keys again, if there is one. */
  reload(): void
}

/** @throws {KeysError} if a file cannot be read, others may write it, or it holds something else. */
export function configuredAccess(config: AccessConfig, logger: AccessLogger): ConfiguredAccess {
  const { keys, jwtKeys } = config
  if (keys === '' && jwtKeys === '') return fixed(openAccess)
  const access = createAccess({ keys: [], tokens: jwtKeys === '' ? null : tokenOptions(config) })
  if (keys !== '' && !isContent(keys)) return following(keys, access, logger)
  if (keys !== '') access.setKeys(parseKeys(keys))
  return fixed(access)
}

function fixed(access: Access): ConfiguredAccess {
  return { access, reload: () => {}, [Symbol.dispose]: () => {} }
}

function following(path: string, access: KeyedAccess, logger: AccessLogger): ConfiguredAccess {
  const file = new KeyFile(path, logger, (keys) => access.setKeys(keys))
  return { access, reload: () => file.reload(), [Symbol.dispose]: () => file[Symbol.dispose]() }
}

function tokenOptions({ jwtKeys, jwtIssuer, jwtAudience }: AccessConfig): TokenOptions {
  if (jwtIssuer === '') throw new KeysError('Cannot use --jwt-keys: given without --jwt-issuer')
  const facts = { issuer: jwtIssuer, audience: jwtAudience }
  if (/^https?:/i.test(jwtKeys)) return { ...facts, keySet: addressOf(jwtKeys) }
  try {
    const text = isContent(jwtKeys) ? jwtKeys : readTrustedFile(jwtKeys, '--jwt-keys').text
    const keySet: unknown = JSON.parse(text)
    if (typeof keySet === 'object' && keySet !== null && 'keys' in keySet) return { ...facts, keySet }
  } catch (error) {
    if (error instanceof KeysError) throw error
  }
  throw new KeysError('Cannot use --jwt-keys: wanted a JWK Set, a JSON object with a list "keys"')
}

/** Only over TLS, unless the issuer is on this machine: anyone who can change the keys can impersonate any caller. */
function addressOf(text: string): URL {
  const url = URL.parse(text)
  const isLocal = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  if (url === null || (url.protocol !== 'https:' && !isLocal)) {
    throw new KeysError(`Cannot use --jwt-keys: given ${JSON.stringify(text)}, wanted an https address`)
  }
  return url
}

function isContent(given: string): boolean {
  return given.startsWith('{')
}

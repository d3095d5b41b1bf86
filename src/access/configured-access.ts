// Configured access: how callers are identified, as the options of the service say. Reads the files they name.
import { ServiceError } from '../core/errors.ts'
import { type Caller, openAccess } from './access.ts'
import { type Key, KeyRing, KeysError, parseKeys, secretPrefix } from './api-keys.ts'
import { createTokenReader, type TokenOptions } from './bearer-tokens.ts'
import { type AccessLogger, followKeys, readTrustedFile } from './key-file.ts'

export interface AccessConfig {
  /** A file of keys, or its content; empty for none. */
  readonly keys: string
  /** URL or file of a JWK Set; empty if tokens are not accepted. */
  readonly jwtKeys: string
  readonly jwtIssuer: string
  readonly jwtAudience: string
}

/**
 * Access whose keys can change while it is in use; disposing it stops that. `reload` reads the file of keys again, if
 * there is one; `onChange` is called whenever that has been done.
 * @throws {KeysError} if a file cannot be read, others may write it, or it holds something else
 */
export function configuredAccess(config: AccessConfig, logger: AccessLogger, onChange = () => {}) {
  const { keys, jwtKeys } = config
  const fixed = { reload: () => {}, [Symbol.dispose]: () => {} }
  if (keys === '' && jwtKeys === '') return { access: openAccess, ...fixed }
  const tokens = jwtKeys === '' ? null : tokenOptions(config)
  const change = (others: readonly Key[]) => {
    access.setKeys(others)
    onChange()
  }
  const isFile = keys !== '' && !isContent(keys)
  const { keys: known, ...followed } = isFile
    ? followKeys(keys, logger, change)
    : { keys: keys === '' ? [] : parseKeys(keys), ...fixed }
  const access = createAccess({ keys: known, tokens })
  return { access, ...followed }
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
  throw new KeysError('Cannot use --jwt-keys: expected a JWK Set, a JSON object with a list "keys"')
}

/** Only over TLS, unless the issuer is on this machine: anyone who can change the keys can impersonate any caller. */
function addressOf(text: string): URL {
  const url = URL.parse(text)
  const isLocal = url !== null && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  if (url === null || (url.protocol !== 'https:' && !isLocal)) {
    throw new KeysError(`Cannot use --jwt-keys: given ${JSON.stringify(text)}, expected an https address`)
  }
  return url
}

function isContent(given: string): boolean {
  return given.startsWith('{')
}

/**
 * Requires every caller to authenticate, by a key or, unless `tokens` is null, a token. Keys can be replaced: from then
 * on, only the new ones are valid.
 */
export function createAccess({
  keys,
  tokens,
}: {
  readonly keys: readonly Key[]
  readonly tokens: TokenOptions | null
}) {
  let ring = new KeyRing(keys)
  const readToken = tokens === null ? null : createTokenReader(tokens)
  return {
    setKeys: (others: readonly Key[]) => {
      ring = new KeyRing(others)
    },
    async identify(authorization: string | undefined): Promise<Caller> {
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

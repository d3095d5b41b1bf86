// API keys: the stored form of API keys, by the hash of their secret, and how one is made. Knows no files and no requests.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isObject } from '../core/json.ts'
import { type Caller, type Scope, scopes, tokenOwnerPrefix } from './access.ts'

/** A key as stored: the secret itself is shown once, when it is made, and never stored. */
export interface Key {
  /** For people and for the log. */
  readonly name: string
  /** The owner of the datasets that it sees and makes. */
  readonly owner: string
  readonly scopes: readonly Scope[]
  /** Of the secret, in lower-case hex. A secret is 256 random bits, so a slower hash than SHA-256 would add nothing. */
  readonly sha256: string
  /** ISO 8601; the key is invalid from then on. Absent for never. */
  readonly expires?: string
}

/** Prefix of secrets, so that scanners for leaked secrets can recognize them. */
export const secretPrefix = 'csvu_'
const secretBytes = 32

/** Makes a key; `secret` is what its holder sends. */
export function newKey(facts: Omit<Key, 'sha256'>): { readonly secret: string; readonly key: Key } {
  const secret = secretPrefix + randomBytes(secretBytes).toString('base64url')
  return { secret, key: { ...facts, sha256: hashOf(secret).toString('hex') } }
}

/** A mistake in a list of keys; the message is one line for its author. */
export class KeysError extends Error {
  override readonly name = 'KeysError'
}

/** Reads `{ "keys": [ … ] }` of a file, if there is one. @throws {KeysError} naming the place. */
export function parseKeys(text: string, file?: string): readonly Key[] {
  const where = file === undefined ? '' : ` in ${file}`
  const content = parseJson(text, where)
  const list = isObject(content) ? content.keys : undefined
  if (!Array.isArray(list)) throw new KeysError(`Cannot use keys${where}: expected a JSON object with a list "keys"`)
  const keys = list.map((item: unknown, i) => parseKey(item, `keys[${i}]`, where))
  const names = keys.map(({ name }) => name)
  const repeated = names.findIndex((name, i) => names.indexOf(name) < i)
  if (repeated >= 0) {
    const first = names.indexOf(names[repeated] ?? '')
    const place = `keys[${repeated}].name${where}`
    throw new KeysError(`Cannot use ${place}: keys[${first}] has the same name, expected a unique name`)
  }
  return keys
}

/** The text that `parseKeys` reads. */
export function formatKeys(keys: readonly Key[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

/** Finds callers by the secrets they send. */
export class KeyRing {
  readonly #keys: readonly { readonly hash: Buffer; readonly caller: Caller }[]

  constructor(keys: readonly Key[]) {
    this.#keys = keys.map((key) => {
      const expiresAtMs = key.expires === undefined ? null : Date.parse(key.expires)
      const caller = { owner: key.owner, name: key.name, scopes: new Set(key.scopes), expiresAtMs }
      return { hash: Buffer.from(key.sha256, 'hex'), caller }
    })
  }

  /** Null if no key has that secret, or it has expired. Takes the same time for a wrong secret as for a right one. */
  find(secret: string): Caller | null {
    const hash = hashOf(secret)
    let found: Caller | null = null
    for (const { hash: known, caller } of this.#keys) {
      const isLive = caller.expiresAtMs === null || Date.now() < caller.expiresAtMs
      if (timingSafeEqual(hash, known) && isLive) found = caller
    }
    return found
  }
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

const members: Readonly<Record<keyof Key, { readonly wanted: string; is(value: unknown): boolean }>> = {
  name: { wanted: 'a text of 1 to 100 characters', is: isName },
  owner: {
    wanted: `a text of 1 to 100 characters that does not begin with ${tokenOwnerPrefix}`,
    is: (value) => isName(value) && !String(value).startsWith(tokenOwnerPrefix),
  },
  scopes: {
    wanted: `a list of some of ${scopes.join(', ')}`,
    is: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => scopes.includes(one)),
  },
  sha256: {
    wanted: '64 lower-case hex digits',
    is: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  },
  expires: {
    wanted: 'a time such as 2027-01-31T00:00:00Z, or nothing',
    is: (value) =>
      value === undefined ||
      (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))),
  },
}

function parseKey(item: unknown, place: string, where: string): Key {
  if (!isObject(item)) throw new KeysError(`Cannot use ${place}${where}: expected an object`)
  for (const [name, { wanted, is }] of Object.entries(members)) {
    if (!is(item[name])) throw new KeysError(`Cannot use ${place}.${name}${where}: expected ${wanted}`)
  }
  const unknown = Object.keys(item).find((name) => !Object.hasOwn(members, name))
  if (unknown !== undefined) throw new KeysError(`Cannot use ${place}.${unknown}${where}: there is no such member`)
  return item as unknown as Key // every member has just been checked
}

function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new KeysError(`Cannot use keys${where}: expected JSON`)
  }
}

/** No characters that could be misread in a log. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[\p{L}\p{N}\p{P}\p{S} ]{1,100}$/u.test(value)
}

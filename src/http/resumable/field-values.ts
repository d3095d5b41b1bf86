// Field values: parses the headers of resumable uploads, for both tus and HTTP's own draft. Knows no route.
import { ServiceError } from '../../core/errors.ts'
import { type ChecksumAlgorithm, checksumAlgorithms } from '../../service/service.ts'

/** A count of bytes; null for anything else. */
export function byteCount(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,15}$/.test(value.trim()) ? Number(value) : null
}

/** A boolean of RFC 9651; null for anything else. */
export function structuredBoolean(value: string | undefined): boolean | null {
  const text = value?.trim()
  return text === '?1' ? true : text === '?0' ? false : null
}

/** Supported checksum algorithms, by the names that clients use. */
const algorithmByName: ReadonlyMap<string, ChecksumAlgorithm> = new Map([
  ...checksumAlgorithms.map((name) => [name, name] as const),
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

type Checksum = { readonly algorithm: ChecksumAlgorithm; readonly digest: Uint8Array }

/** `Upload-Checksum` of tus: `sha256 <Base64>`. @throws {ServiceError} BAD_REQUEST */
export function tusChecksum(value: string | undefined): Checksum | null {
  if (value === undefined) return null
  const [, name = '', text = ''] = /^([\w-]+) ([A-Za-z0-9+/]+={0,2})$/.exec(value.trim()) ?? []
  const algorithm = algorithmByName.get(name.toLowerCase())
  if (algorithm !== undefined) return { algorithm, digest: Buffer.from(text, 'base64') }
  const wanted = checksumAlgorithms.join(', ')
  throw new ServiceError('BAD_REQUEST', {
    problem: `its Upload-Checksum is '${value.slice(0, 100)}', wanted one of ${wanted} and a digest in Base64`,
  })
}

/** `Content-Digest` of RFC 9530, restricted to the algorithms of `Upload-Checksum`; null if it has none of them. */
export function contentDigest(value: string | undefined): Checksum | null {
  for (const [, name = '', text = ''] of (value ?? '').matchAll(/([\w-]+)=:([A-Za-z0-9+/]+={0,2}):/g)) {
    const algorithm = algorithmByName.get(name.toLowerCase())
    if (algorithm !== undefined) return { algorithm, digest: Buffer.from(text, 'base64') }
  }
  return null
}

/** `Upload-Metadata` of tus: names with Base64 values. @throws {ServiceError} BAD_REQUEST */
export function metadata(value: string | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const problem = (seen: string) =>
    new ServiceError('BAD_REQUEST', { problem: `its Upload-Metadata has ${seen}, wanted names with values in Base64` })
  for (const pair of (value ?? '').split(',')) {
    const [name = '', text = '', ...rest] = pair.trim().split(/ +/)
    if (name === '' && (value ?? '').trim() === '') return texts
    if (name === '' || rest.length > 0 || !/^[!-+\--~]+$/.test(name))
      throw problem('a part that is not a name with a value')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replaceAll('=', '').length % 4 === 1) {
      throw problem(`a value for '${name.slice(0, 50)}' that is not Base64`)
    }
    if (texts.has(name)) throw problem(`'${name.slice(0, 50)}' twice`)
    texts.set(name, Buffer.from(text, 'base64').toString('utf8'))
  }
  return texts
}

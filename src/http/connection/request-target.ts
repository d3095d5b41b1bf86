// Request target: what the first line of a request asks for, and from which host. Knows nothing of routes.
import type { IncomingMessage } from 'node:http'

const shownPathLengthMax = 2_000

/**
 * All our paths consist of these characters, so a path with an escape, a matrix parameter or a backslash is not found.
 */
const plainPathPattern = /^\/[A-Za-z0-9._~/-]*$/

/**
 * A request line, complete or cut off. Bytes that arrive later in a head begin with some header line, whose value must
 * not be taken for a path: its first word has a colon, or its second is neither a path nor followed by a version.
 */
const requestLinePattern = /^([!-9;-~]+) +((?:[/*]|https?:\/\/)\S*|\S+(?= HTTP\/))(?: HTTP\/(\d\.\d))?/i

/** What is known of a request from its first line. */
export type SeenRequest = Readonly<ReturnType<typeof seenRequest>>

/** The request line, if these bytes begin with one. Node keeps nothing else of a request that it cannot parse. */
export function seenRequest(bytes: Buffer | undefined) {
  const text = bytes?.subarray(0, 4_096).toString('latin1').trimStart() ?? ''
  const [, method = '', target = '/', version = '1.1'] = requestLinePattern.exec(text) ?? []
  return { method, path: requestPath(target), version }
}

/** The target without scheme and host, if the client sent them (RFC 9112 section 3.2.2). */
export function originForm(target: string): string {
  const origin = originOf(target)
  if (origin === null) return target
  const rest = target.slice(origin.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The path as sent, nothing decoded, without the query. */
export function requestPath(target: string): string {
  const path = originForm(target)
  const end = path.indexOf('?')
  const whole = end < 0 ? path : path.slice(0, end)
  return whole === '' ? '/' : whole.slice(0, shownPathLengthMax)
}

export function isPlainPath(path: string): boolean {
  return plainPathPattern.test(path)
}

/** `version` is what follows `HTTP/`. */
export function isKnownVersion(version: string): boolean {
  return version === '1.1' || version === '1.0'
}

/** Host and port of a target in absolute form; null for any other. */
export function targetAuthority(target: string): string | null {
  const origin = originOf(target)
  return origin === null ? null : origin.slice(origin.indexOf('://') + 3)
}

/** The host name of `host:port`, in lower case, without the dot of the root: `localhost.` is `localhost`. */
export function hostName(authority: string): string {
  return authority.replace(/\.?(?::\d*)?$/, '').toLowerCase()
}

/** Values of all lines of a header, as sent: Node joins or drops repeated ones. `name` is in lower case. */
export function headerLines(request: IncomingMessage, name: string): readonly string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) values.push(request.rawHeaders[index + 1] ?? '')
  }
  return values
}

function originOf(target: string): string | null {
  return /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? null
}

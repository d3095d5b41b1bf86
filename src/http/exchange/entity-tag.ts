// Entity tag: the ETag of a JSON resource, and whether a client means this version of it. Knows no route.
import { createHash } from 'node:crypto'

/** A strong tag: it changes whenever the JSON does. */
export function entityTag(value: object): string {
  return `"${createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)}"`
}

/** True if `If-Match` is absent, or lists this tag. Strong comparison (RFC 9110 section 13.1.1). */
export function isMatch(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined) return true
  return ifMatch.split(',').some((one) => one.trim() === '*' || one.trim() === tag)
}

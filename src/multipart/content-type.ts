// Content type: what the request's header says about a multipart body. Knows nothing of the body itself.
import { cutAtSemicolon, readParameters } from './parameters.ts'

export type MultipartType =
  | { readonly kind: 'multipart'; readonly boundary: string }
  /** A multipart type whose boundary is absent or empty. */
  | { readonly kind: 'no-boundary' }
  /** Not a multipart type, or none at all. */
  | { readonly kind: 'other' }
  /** A multipart type that can be read in more than one way; rejected as BAD_MULTIPART. */
  | { readonly kind: 'bad'; readonly problem: string }

/** RFC 2046 allows 70 characters, and clients send more. Characters. */
const boundaryLengthMax = 1000

const multipartPattern = /^multipart\/[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** The characters that a header can have, one per byte; a line end in a boundary would break the search for it. */
const boundaryPattern = /^[\x20-\x7e\x80-\xff]*$/

/** Reads `Content-Type` of a request: any `multipart/*`, type and parameter names in any case, other parameters ignored. */
export function readMultipartType(header: string | undefined): MultipartType {
  const [type, rest] = cutAtSemicolon(header ?? '')
  if (!multipartPattern.test(type)) return { kind: 'other' }
  const parameters = readParameters(rest, { once: ['boundary'] })
  if (parameters.kind === 'bad') return { kind: 'bad', problem: `Content-Type: ${parameters.problem}` }
  const boundary = parameters.values.get('boundary') ?? ''
  if (boundary === '') return { kind: 'no-boundary' }
  if (boundary.length > boundaryLengthMax) {
    return {
      kind: 'bad',
      problem: `the boundary has ${boundary.length} characters, expected at most ${boundaryLengthMax}`,
    }
  }
  if (!boundaryPattern.test(boundary)) return { kind: 'bad', problem: 'the boundary contains a control character' }
  return { kind: 'multipart', boundary }
}

/** True for the type of a part that contains further files, which RFC 7578 section 4.3 deprecates. */
export function isNestedType(contentType: string | null): boolean {
  return contentType !== null && /^\s*multipart\/mixed\s*([;,]|$)/i.test(contentType)
}

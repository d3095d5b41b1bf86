// Wire case: a request as bytes, and the expected response. Derived from recordings of the reference implementation.
import { readFileSync } from 'node:fs'

export interface Expectation {
  readonly status?: number
  readonly statusIn?: readonly number[]
  readonly exception?: string
  readonly exceptionIn?: readonly string[]
  readonly message?: string
  readonly messageIn?: readonly string[]
  /** The message matches this, ignoring case. */
  readonly messageMatch?: string
  readonly path?: string
  /** true: announced and closed; false: stays open; by-status: true for errors. */
  readonly closes: boolean | 'any' | 'by-status'
  readonly interim100?: boolean | 'any'
  readonly body: 'error' | 'success' | 'none' | 'by-status' | 'any' | 'not-checked'
  readonly framing?: 'chunked' | 'not-chunked' | 'any'
  /** Content of the part named file. */
  readonly file?: { readonly bytes: number; readonly sha256: string }
  /** Methods that Allow must contain. */
  readonly allow?: readonly string[]
  /** Number of responses on the connection. */
  readonly answers?: number
  /** No response at all is right, too. */
  readonly responseOptional?: boolean
}

export interface WireCase {
  readonly id: string
  readonly what: string
  readonly request: Buffer
  readonly play: {
    /** Send the head, wait for 100 Continue or a response, then send the body. */
    readonly wait100?: boolean
    /** Send only the head. */
    readonly noBody?: boolean
    /** Send the body in writes of this many bytes. */
    readonly writeBytes?: number
    /** End the sending side after the request. */
    readonly halfClose?: boolean
  }
  /** Limits that the service must run with; null for the standard ones. */
  readonly needs: { readonly fileBytesMax: number; readonly requestBytesMax: number } | null
  readonly expect: Expectation
}

/** All cases of the file beside this one. */
export function loadWireCases(): readonly WireCase[] {
  const lines = readFileSync(new URL('cases.jsonl', import.meta.url), 'utf8').split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      // A case that does not match these types fails its own test.
      const { request_b64, play = {}, needs = null, ...rest } = JSON.parse(line)
      return { ...rest, play, needs, request: Buffer.from(request_b64, 'base64') }
    })
}

// Verified: proves stored datasets on their files, all of a process with one reader.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Check, createVerifier } from '../../src/verify.ts'

const verifier = createVerifier()
after(() => verifier[Symbol.asyncDispose]())

/** What `csv-upload verify` looks at in a directory, in order. */
export function checksOf(dir: string): Promise<readonly Check[]> {
  return Array.fromAsync(verifier.verify(dir, { bytes: 0 }, new AbortController().signal))
}

export async function assertVerified(dir: string): Promise<void> {
  for (const { check, ok, detail } of await checksOf(dir)) assert.ok(ok, `${dir} ${check}: ${detail}`)
}

// Verified: verifies stored datasets on their files, with one reader per process.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { type Check, createVerifier } from '../../src/verify.ts'

const verifier = createVerifier()
after(() => verifier[Symbol.asyncDispose]())

/** The checks of `csv-upload verify` for a directory, in order. */
export function checksOf(dir: string): Promise<readonly Check[]> {
  return Array.fromAsync(verifier.verify(dir, { bytes: 0 }, new AbortController().signal))
}

export async function assertVerified(dir: string): Promise<void> {
  for (const { check, ok, detail } of await checksOf(dir)) assert.ok(ok, `${dir} ${check}: ${detail}`)
}

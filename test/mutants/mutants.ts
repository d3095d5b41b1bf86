// Mutants: the kept list of breaks of the code, each with the test that must fail. Knows not how they are tried.
import { readFileSync } from 'node:fs'

export interface Mutant {
  readonly id: string
  readonly path: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The test file that must fail. */
  readonly test: string
  /** The promise or the threat of SECURITY.md that would be broken. */
  readonly promise: string
}

export const mutants = JSON.parse(
  readFileSync(new URL('mutants.json', import.meta.url), 'utf8'),
) as readonly Mutant[] /* held by mutants.test.ts */

// Mutants: the list of deliberate breaks of the code, each with the test that must fail. Does not run them.
import { readFileSync } from 'node:fs'

export interface Mutant {
  readonly id: string
  readonly path: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The test file that must fail. */
  readonly test: string
  /** The promise that the mutant breaks, with its threats in SECURITY.md. */
  readonly promise: string
}

export const mutants = JSON.parse(
  readFileSync(new URL('mutants.json', import.meta.url), 'utf8'),
) as readonly Mutant[] /* verified by mutants.test.ts */

// Violation file: the records of a segment that break declared rules, as gzip'ed lines of JSON. Knows no rules.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Violation } from '../../core/declared-values.ts'

/** Lines are compressed in members of about this size, which bounds memory. Characters. */
const memberLength = 262_144

/** It exists only if a violation was added. Disposing removes it, unless it has ended. */
export class ViolationFile implements Disposable {
  readonly #path: string
  #file: number | null = null
  #lines = ''
  #isComplete = false

  constructor(path: string) {
    this.#path = path
  }

  /** Writes now and then. @throws {Error} of the file system */
  add(violation: Violation): void {
    this.#lines += `${JSON.stringify(violation)}\n`
    if (this.#lines.length >= memberLength) this.#write()
  }

  end(): void {
    if (this.#lines !== '') this.#write()
    this.#isComplete = true
  }

  [Symbol.dispose](): void {
    if (this.#file === null) return
    closeSync(this.#file)
    if (!this.#isComplete) rmSync(this.#path, { force: true })
  }

  #write(): void {
    this.#file ??= openSync(this.#path, 'w', 0o600)
    const member = gzipSync(this.#lines, { level: 1 })
    for (let from = 0; from < member.length; ) from += writeSync(this.#file, member, from)
    this.#lines = ''
  }
}

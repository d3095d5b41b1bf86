// Violation file: the records of a segment that break declared rules, as gzip'ed lines of JSON. Knows no rules.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Violation, ViolationLine } from '../../core/declared-values.ts'
import type { Segment } from '../converter.ts'
import { offsetsInFile } from './column-job.ts'

/** Lines are compressed in members of about this size, which bounds memory. Characters. */
const memberLength = 262_144

/** It exists only if a violation was added. Disposing removes it, unless it has ended. */
export class ViolationFile implements Disposable {
  readonly #path: string
  readonly #offsetInFile: ReturnType<typeof offsetsInFile>
  #file: number | null = null
  #lines = ''
  #isComplete = false

  constructor(path: string, segment: Segment | null = null) {
    this.#path = path
    this.#offsetInFile = segment === null ? () => undefined : offsetsInFile(segment)
  }

  /** Writes now and then. @throws {Error} of the file system */
  add({ record, column, rule, value, place, repeated }: Violation): void {
    const byteOffset = (place && this.#offsetInFile(place.byteOffset)) ?? null
    const { byteLength = 0, lineEndBytes = 0 } = place ?? {}
    const line: ViolationLine = [record, column, rule, value, byteOffset, byteLength, lineEndBytes, repeated ?? null]
    this.#lines += `${JSON.stringify(line)}\n`
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

// Ignored parts: the parts of a request that are neither the file nor settings, and hints for the sender.
import { type Note, note } from '../../core/notes.ts'
import type { PartHead } from '../../multipart/multipart.ts'

const namesShownMax = 5
const nameLengthMax = 40

/** Settings of a dialect, which people also send as separate fields. */
const dialectMembers: ReadonlySet<string> = new Set([
  'commentChar',
  'delimiter',
  'encoding',
  'escapeChar',
  'header',
  'headerRows',
  'lineTerminator',
  'quoteChar',
  'skipRows',
])

export class IgnoredParts {
  /** The first names, without repetitions. */
  readonly #names = new Set<string>()
  #count = 0
  /** Option parts that are not a JSON object. */
  readonly #options = new Set<string>()
  /** Why a part named `file` is not the file. */
  #fileFault: 'no file name' | 'an empty file name' | null = null

  add({ name, fileName }: PartHead): void {
    this.#count += 1
    if (name === 'file') this.#fileFault = fileName === null ? 'no file name' : 'an empty file name'
    else if (this.#names.size < namesShownMax) this.#names.add(shown(name))
  }

  addOption(name: string): void {
    this.#count += 1
    this.#options.add(name)
  }

  /** What a request without a file contains instead: one line of printable ASCII without double quotes. */
  insteadOfFile(): string {
    if (this.#fileFault !== null) {
      return `the part named 'file' has ${this.#fileFault}; send it as a file, as in curl -F file=@people.csv`
    }
    if (this.#count === 0) return 'the body has no part; its first line must be -- and the boundary of Content-Type'
    return `no part is named 'file'; there is ${this.#list()}`
  }

  /** One note for all of them. */
  notes(): readonly Note[] {
    // Nobody sends the empty file field of a form on purpose.
    if (this.#names.size + this.#options.size === 0 && this.#fileFault !== 'no file name') return []
    return [note('PARTS_IGNORED', `Ignored: ${this.#list()}. ${this.#advice()}`)]
  }

  #list(): string {
    const fields = this.#fileFault === null ? [] : [`'file' (${this.#fileFault})`]
    const options = [...this.#options].map((name) => `'${name}' (not a JSON object)`)
    const all = [...fields, ...options, ...[...this.#names].map((name) => `'${name}'`)]
    const others = this.#count - all.length
    return `${all.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
  }

  #advice(): string {
    const member = [...this.#names].find((name) => dialectMembers.has(name))
    if (member === undefined) return 'Settings are the parts dialect and schema, as JSON, before the file.'
    return `Send ${member} in the part dialect, before the file, as in curl -F 'dialect={"${member}": …}' -F file=@people.csv.`
  }
}

/** Safe in a header and in a log. */
function shown(name: string | null): string {
  return (name ?? '').slice(0, nameLengthMax).replaceAll(/[^\w .:@/+-]/g, '?')
}

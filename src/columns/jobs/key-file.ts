// Key file: the hashes of the keys of a segment on disk, and the list of its records that repeat a key. Knows no values.
import { readFileSync, writeFileSync } from 'node:fs'
import type { KeyOptions } from '../converter.ts'
import type { WriterKeys } from '../writer/column-writer.ts'

/** A record that repeats a key: its number; twice its key, plus 1 if the texts are equal; the first's ordinal (u64). */
export const repeatedWords = 4

/** The file for the list of a segment, beside its hashes. */
export function repeatedPath(path: string): string {
  return `${path}-repeated`
}

/** What a writer needs to hash keys, or to leave out records that repeat one. @throws {Error} of the file system */
export function writerKeys({ columns, secret, path, areFound }: KeyOptions, records: number): WriterKeys {
  if (!areFound) writeFileSync(path, '', { mode: 0o600 })
  return {
    columns,
    secret,
    onEntries: (chunk) => writeFileSync(path, chunk, { flag: 'a' }),
    repeated: areFound ? repeatedIn(repeatedPath(path), records) : null,
  }
}

/** Of the keys that a record repeats, the first. */
function repeatedIn(path: string, records: number): WriterKeys['repeated'] {
  const words = new Uint32Array(Uint8Array.from(readFileSync(path)).buffer)
  const places = new Uint32Array(records + 1)
  for (let at = 0; at < words.length; at += repeatedWords) {
    const place = places[words[at]!]!
    if (place === 0 || words[place]! > words[at + 1]!) places[words[at]!] = at + 1
  }
  return (record) => {
    const place = places[record]!
    if (place === 0) return null
    const [what = 0, low = 0, high = 0] = words.subarray(place)
    return { key: what >> 1, isSame: what % 2 === 1, first: low + high * 2 ** 32 }
  }
}

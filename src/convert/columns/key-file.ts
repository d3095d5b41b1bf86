// Key file: the hashes of the keys of a segment on disk, and the list of its records that repeat a key. Knows no values.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { repeatedWords, type WriterKeys } from '../../columns/column-writer.ts'
import type { KeyOptions } from '../convert.ts'

/** What a writer needs to hash keys, or to leave out records that repeat one. Disposing closes the file. */
export class KeyFile implements Disposable {
  readonly keys: WriterKeys
  readonly #file: WordFile

  /** @throws {Error} of the file system */
  constructor({ columns, secret, path, repeated }: KeyOptions) {
    this.#file = new WordFile(path, repeated === undefined ? 'w' : 'r')
    const onEntries = (chunk: Uint32Array) => this.#file.append(chunk)
    const list = repeated && this.#file.read(repeated.from * repeatedWords, repeated.count * repeatedWords)
    this.keys = { columns, secret, onEntries, repeated: list ?? null }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]()
  }
}

const bufferedWords = 65_536

/** A file of u32. Words that were pushed are written now and then, and by `flush`. */
export class WordFile implements Disposable {
  readonly #file: number
  #buffer = new Uint32Array(0)
  #buffered = 0

  /** @throws {Error} of the file system */
  constructor(path: string, flags: 'r' | 'w' | 'w+') {
    this.#file = openSync(path, flags, 0o600)
  }

  get words(): number {
    return fstatSync(this.#file).size / 4
  }

  push(...words: readonly number[]): void {
    if (this.#buffered + words.length > this.#buffer.length) this.flush()
    if (this.#buffer.length === 0) this.#buffer = new Uint32Array(bufferedWords)
    this.#buffer.set(words, this.#buffered)
    this.#buffered += words.length
  }

  flush(): void {
    this.append(this.#buffer.subarray(0, this.#buffered))
    this.#buffered = 0
  }

  append(words: Uint32Array): void {
    const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#file, bytes, from)
  }

  /** @throws {Error} if the file ends before the last word */
  read(from: number, count: number): Uint32Array {
    const bytes = new Uint8Array(4 * count)
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(this.#file, bytes, { offset: at, position: 4 * from + at })
      if (read === 0) throw new Error(`Cannot read keys: the file ends before word ${from + count}`)
      at += read
    }
    return new Uint32Array(bytes.buffer)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

// S3 shared objects: small objects of a bucket that all processes see. Knows nothing of what they say.
import assert from 'node:assert/strict'
import type { SharedObjects } from '../store.ts'
import type { S3Objects } from './s3-objects.ts'

const prefix = 'shared/'

export class S3SharedObjects implements SharedObjects {
  readonly #objects: S3Objects

  constructor(objects: S3Objects) {
    this.#objects = objects
  }

  async add(name: string, bytes: Uint8Array): Promise<boolean> {
    return (await this.#objects.put(keyOf(name), bytes, { kind: 'absent' })) !== null
  }

  async get(name: string): Promise<Buffer | null> {
    return (await this.#objects.get(keyOf(name)))?.body ?? null
  }

  async *list(namePrefix: string): AsyncGenerator<{ readonly name: string; readonly changedAt: number }> {
    for await (const { key, changedAt } of this.#objects.list(prefix + namePrefix)) {
      yield { name: key.slice(prefix.length), changedAt }
    }
  }

  async delete(names: readonly string[]): Promise<void> {
    await this.#objects.delete(names.map(keyOf))
  }
}

function keyOf(name: string): string {
  assert(
    /^[\w.-]+(?:\/[\w.-]+)*$/.test(name) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(name),
    `'${name}' is no name of an object`,
  )
  return prefix + name
}

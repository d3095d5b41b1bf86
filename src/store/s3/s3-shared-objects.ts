// S3 shared objects: small objects of a bucket that all processes see. Does not know their meaning.
import assert from 'node:assert/strict'
import type { ListedShared, SharedObjects } from '../store.ts'
import type { S3Objects } from './s3-objects.ts'

const sharedPrefix = 'shared/'

export class S3SharedObjects implements SharedObjects {
  readonly #objects: S3Objects

  constructor(objects: S3Objects) {
    this.#objects = objects
  }

  async write(name: string, bytes: Uint8Array, before?: string | null): Promise<string | null> {
    if (before === undefined) return await this.#objects.put(keyOf(name), bytes)
    const condition = before === null ? ({ kind: 'absent' } as const) : ({ kind: 'same', etag: before } as const)
    return await this.#objects.put(keyOf(name), bytes, condition)
  }

  async get(name: string): Promise<{ readonly bytes: Buffer; readonly version: string } | null> {
    const found = await this.#objects.get(keyOf(name))
    return found === null ? null : { bytes: found.body, version: found.etag }
  }

  async *list(namePrefix: string): AsyncGenerator<ListedShared> {
    for await (const { key, etag: version, changedAt } of this.#objects.list(sharedPrefix + namePrefix)) {
      yield { name: key.slice(sharedPrefix.length), version, changedAt }
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
  return sharedPrefix + name
}

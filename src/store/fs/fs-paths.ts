// File-system paths: where everything of a data directory lies. Touches no file.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { isPlainName } from '../name-rules.ts'

export class FsPaths {
  readonly root: string
  readonly datasets: string
  readonly incoming: string
  /** Repaired datasets on their way to their place. */
  readonly replacing: string
  /** What the service remembers beside datasets. */
  readonly state: string
  /** Datasets that were set aside. */
  readonly damaged: string

  constructor(root: string) {
    this.root = root
    this.datasets = join(root, 'datasets')
    this.incoming = join(root, 'incoming')
    this.replacing = join(root, 'replacing')
    this.state = join(root, 'state')
    this.damaged = join(root, 'damaged')
  }

  /** A name below `incoming/` that nobody can guess and nothing has. */
  newPath(): string {
    return join(this.incoming, randomBytes(16).toString('hex'))
  }

  dataset(id: string): string {
    return join(this.datasets, id)
  }

  /** What was made of a dataset and can be made again. */
  derived(id: string): string {
    return join(this.dataset(id), 'derived')
  }

  /** A name for a dataset that is set aside. */
  aside(id: string): string {
    return join(this.damaged, `${id}-${randomBytes(4).toString('hex')}`)
  }
}

/** @throws {AssertionError} where the name could lead elsewhere */
export function plainName(name: string): string {
  assert(isPlainName(name), `'${name}' is no name to keep anything under`)
  return name
}

// File-system paths: the layout of a data directory. Touches no file.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

export class FsPaths {
  readonly root: string
  readonly datasets: string
  readonly incoming: string
  /** Repaired datasets that wait to be moved to their place. */
  readonly replacing: string
  /** The index, which is built from receipts and can be rebuilt. */
  readonly index: string
  /** State of the service besides datasets. */
  readonly state: string
  /** Damaged datasets that were moved away. */
  readonly damaged: string
  /** Unfinished uploads that may be resumed. */
  readonly uploads: string

  constructor(root: string) {
    this.root = root
    this.datasets = join(root, 'datasets')
    this.incoming = join(root, 'incoming')
    this.replacing = join(root, 'replacing')
    this.index = join(root, 'index.sqlite')
    this.state = join(root, 'state')
    this.damaged = join(root, 'damaged')
    this.uploads = join(root, 'uploads')
  }

  /** A random, unused name below `incoming/`. */
  newPath(): string {
    return join(this.incoming, randomBytes(16).toString('hex'))
  }

  dataset(id: string): string {
    return join(this.datasets, id)
  }

  /** Results computed from the dataset, which can be recomputed. */
  derived(id: string): string {
    return join(this.dataset(id), 'derived')
  }

  /** A name for a damaged dataset that is moved away. */
  aside(id: string): string {
    return join(this.damaged, `${id}-${randomBytes(4).toString('hex')}`)
  }
}

// File-system paths: the layout of a data directory. Touches no file.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

export type FsPaths = ReturnType<typeof fsPaths>

export function fsPaths(root: string) {
  const at = (name: string) => join(root, name)
  return {
    root,
    datasets: at('datasets'),
    incoming: at('incoming'),
    /** Repaired datasets that wait to be moved to their place. */
    replacing: at('replacing'),
    /** The index, which is built from receipts and can be rebuilt. */
    index: at('index.sqlite'),
    /** State of the service besides datasets. */
    state: at('state'),
    /** Damaged datasets that were moved away. */
    damaged: at('damaged'),
    /** Unfinished uploads that may be resumed. */
    uploads: at('uploads'),
    /** A random, unused name below `incoming/`. */
    newPath: () => join(root, 'incoming', randomBytes(16).toString('hex')),
    dataset: (id: string) => join(root, 'datasets', id),
    /** Results computed from the dataset, which can be recomputed. */
    derived: (id: string) => join(root, 'datasets', id, 'derived'),
    /** A name for a damaged dataset that is moved away. */
    aside: (id: string) => join(root, 'damaged', `${id}-${randomBytes(4).toString('hex')}`),
  }
}

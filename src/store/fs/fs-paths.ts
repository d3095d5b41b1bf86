// File-system paths: the layout of a data directory. Touches no file.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { TrashedDataset } from '../store.ts'

/** A dataset in the trash, since a time in epoch milliseconds. */
export type TrashPlace = Pick<TrashedDataset, 'id' | 'trashedAt'>

/** What a name in the trash says; null for any other. */
export function trashPlaceOf(name: string): TrashPlace | null {
  const [, id, trashedAt] = /^([0-9a-f]{32})-(\d{1,16})$/.exec(name) ?? []
  return id === undefined ? null : { id, trashedAt: Number(trashedAt) }
}

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
    /** Datasets in the trash. */
    trash: at('trash'),
    trashed: ({ id, trashedAt }: TrashPlace) => join(root, 'trash', `${id}-${trashedAt}`),
    /** Results computed from the dataset, which can be recomputed. */
    derived: (id: string) => join(root, 'datasets', id, 'derived'),
    /** A name for a damaged dataset that is moved away. */
    aside: (id: string) => join(root, 'damaged', `${id}-${randomBytes(4).toString('hex')}`),
  }
}

// Changes: what has changed for an owner since they last asked, however often and whoever changed it. Knows no request.
import type { UploadStatus } from '../core/upload-status.ts'
import type { DatasetChange, Store } from '../store/store.ts'
import type { Changes, OwnUploads } from './service.ts'

/** More changes of datasets than this are not named. */
const changesMax = 1_000

/** @throws {ServiceError} TOO_MANY_WATCHERS */
export function watchChanges(
  store: Pick<Store, 'watch'>,
  uploads: OwnUploads,
  { owner, network }: { readonly owner: string; readonly network: string },
): Changes {
  let isIncomplete = true
  let datasets = new Map<string, DatasetChange>()
  let ended: UploadStatus[] = []
  /** Versions of the uploads in progress, as they were last taken. */
  let taken = new Map<string, number>()
  const watch = uploads.watchAll(network, (status) => {
    ended.push(status)
    if (ended.length > changesMax) ended.shift()
  })
  const changes = store.watch((change) => {
    if (change.owner !== owner || isIncomplete) return
    // Whoever learns that a dataset is there also learns this.
    if (change.change === 'dismissed' && datasets.has(change.id)) return
    datasets.set(change.id, change)
    if (datasets.size <= changesMax) return
    isIncomplete = true
    datasets = new Map()
  })
  return {
    take: () => {
      const live = watch.live()
      const changed = live.filter(({ id, version }) => taken.get(id) !== version)
      taken = new Map(live.map(({ id, version }) => [id, version]))
      const all = { datasets: [...datasets.values()], uploads: [...changed, ...ended], isIncomplete }
      isIncomplete = false
      datasets = new Map()
      ended = []
      return all
    },
    [Symbol.dispose]: () => {
      changes[Symbol.dispose]()
      watch[Symbol.dispose]()
    },
  }
}

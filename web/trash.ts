// Trash: moves datasets to the trash and back, and marks rejects as seen. Knows the routes; knows no view.
import { ApiError, dismissDataset, eraseTrashed, type ListedDataset, restoreDataset, trashDataset } from './api.ts'
import { count, shownName } from './format.ts'
import { showNotice } from './parts/notice.tsx'
import { t } from './texts.ts'

type Named = Pick<ListedDataset, 'id' | 'file'>

export interface Outcome {
  /** Those that are gone from where they were. */
  readonly gone: ReadonlySet<string>
  /** Why the others are not; null if there are none. */
  readonly failure: unknown
}

/** Those that can be put back by the notice that is shown. */
let last: readonly Named[] = []

/** Moves datasets to the trash, and says so with a way back. */
export async function trashDatasets(datasets: readonly Named[]): Promise<Outcome> {
  const outcome = await each(datasets, trashDataset)
  last = [...last, ...datasets.filter(({ id }) => outcome.gone.has(id))]
  const [first] = last
  if (first === undefined) return outcome
  showNotice({
    text: last.length === 1 ? t.isInTrash(shownName(first.file.name) || first.id) : t.areInTrash(count(last.length)),
    action: t.putBack,
    onAction: async () => {
      const { failure } = await restoreDatasets(last)
      if (failure !== null) throw failure
    },
    onGone: () => {
      last = []
    },
  })
  return outcome
}

/** Rejects that were looked at need no other look. */
export function dismissRejects(datasets: readonly Named[]): Promise<Outcome> {
  return each(datasets, dismissDataset).then(({ failure }) => ({ gone: new Set(), failure }))
}

export function restoreDatasets(datasets: readonly Named[]): Promise<Outcome> {
  return each(datasets, restoreDataset)
}

export function eraseDatasets(datasets: readonly Named[]): Promise<Outcome> {
  return each(datasets, eraseTrashed)
}

async function each(datasets: readonly Named[], change: (id: string) => Promise<void>): Promise<Outcome> {
  const gone = new Set<string>()
  let failure: unknown = null
  for (const { id } of datasets) {
    try {
      await change(id)
      gone.add(id)
    } catch (error) {
      // Someone else was faster.
      if (error instanceof ApiError && error.status === 404) gone.add(id)
      else failure = error
    }
  }
  return { gone, failure }
}

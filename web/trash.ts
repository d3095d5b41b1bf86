// Trash: moves datasets to the trash and back. Knows the routes; knows no view.
import { ApiError, type ListedDataset, restoreDataset, trashDataset } from './api.ts'
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
  const outcome = await changeEach(datasets, ({ id }) => trashDataset(id))
  last = [...last, ...datasets.filter(({ id }) => outcome.gone.has(id))]
  const [first] = last
  if (first === undefined) return outcome
  showNotice({
    text: last.length === 1 ? t.isInTrash(shownName(first.file.name) || first.id) : t.areInTrash(count(last.length)),
    action: t.putBack,
    onAction: async () => {
      const { failure } = await changeEach(last, ({ id }) => restoreDataset(id))
      if (failure !== null) throw failure
    },
    onGone: () => {
      last = []
    },
  })
  return outcome
}

/** One after another, also after a failure. */
export async function changeEach<Dataset extends Named>(
  datasets: readonly Dataset[],
  change: (dataset: Dataset) => Promise<unknown>,
): Promise<Outcome> {
  const gone = new Set<string>()
  let failure: unknown = null
  for (const dataset of datasets) {
    try {
      await change(dataset)
      gone.add(dataset.id)
    } catch (error) {
      // Someone else was faster.
      if (error instanceof ApiError && error.status === 404) gone.add(dataset.id)
      else failure = error
    }
  }
  return { gone, failure }
}

// Trash: moves datasets to the trash and back. Knows the routes; knows no view.
import { ApiError, type ListedDataset, restoreDataset, trashDataset } from './api.ts'
import { sharedState } from './shared-state.ts'

type Named = Pick<ListedDataset, 'id' | 'file'>

export interface Outcome {
  /** Those that are gone from where they were. */
  readonly gone: ReadonlySet<string>
  /** Why the others are not; null if there are none. */
  readonly failure: unknown
}

const nothing = { datasets: [] as readonly Named[], failure: null as unknown }

/** The datasets that were moved to the trash last, of which a notice tells; and why they could not be put back. */
export const trashed = sharedState(nothing)

export async function trashDatasets(datasets: readonly Named[]): Promise<Outcome> {
  const outcome = await changeEach(datasets, ({ id }) => trashDataset(id))
  const { gone } = outcome
  const others = trashed.current().datasets.filter(({ id }) => !gone.has(id))
  // An object for each move, which tells it from an earlier one of the same dataset.
  const moved = datasets.filter(({ id }) => gone.has(id)).map(({ id, file }) => ({ id, file }))
  trashed.change({ datasets: [...others, ...moved], failure: null })
  return outcome
}

/** Others may be moved to the trash meanwhile, and the same ones again. */
export async function putBack(): Promise<void> {
  const asked = trashed.current().datasets
  const { gone, failure } = await changeEach(asked, ({ id }) => restoreDataset(id))
  const done = new Set(asked.filter(({ id }) => gone.has(id)))
  trashed.change({ datasets: trashed.current().datasets.filter((one) => !done.has(one)), failure })
}

export function forgetTrashed(): void {
  trashed.change(nothing)
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

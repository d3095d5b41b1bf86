// Publish or record: ends an upload durably, as a new or repaired dataset or as one more upload of an existing one.
import type { Receipt, Upload, UploadOutcome } from '../../core/receipt.ts'
import type { QueryRunner } from '../../engine/query/query.ts'
import type { DatasetVersion, Draft, Store, StoredUpload } from '../../store/store.ts'
import type { UploadReply } from '../service.ts'
import { type UploadContext, uploadRecord } from './arrival.ts'
import type { DatasetLookup } from './existing-datasets.ts'
import type { Quota } from './quota.ts'

export interface PublishTools {
  readonly store: Store
  readonly quota: Quota
  readonly copies: {
    /** Resolves once the dataset is certain to be copied, if all uploads are; disposed when the upload has ended. */
    request(receipt: Receipt): Promise<Disposable>
  }
  readonly runner: Pick<QueryRunner, 'forget'>
}

/** The outcome of receiving a file. */
export type FinishedDraft =
  | { readonly kind: 'new'; readonly receipt: Receipt; readonly draft: Draft }
  /** The dataset exists and is damaged, so the draft replaces it, but no other publish. */
  | { readonly kind: 'repaired'; readonly receipt: Receipt; readonly draft: Draft; readonly damaged: DatasetVersion }
  /** The dataset exists, and its files have been checked. */
  | { readonly kind: 'duplicate'; readonly receipt: Receipt }

/** What a finished draft becomes. */
export function finishedDraft(
  existing: Exclude<DatasetLookup, { kind: 'whole' }>,
  receipt: Receipt,
  draft: Draft,
): FinishedDraft {
  if (existing.kind === 'none') return { kind: 'new', receipt, draft }
  return { kind: 'repaired', receipt, draft, damaged: existing.publish }
}

export async function publishOrRecord(
  tools: PublishTools,
  arrival: UploadContext,
  taken: FinishedDraft,
  fileName: string,
): Promise<Omit<UploadReply, 'notes'>> {
  const { store } = tools
  const { id } = taken.receipt
  arrival.progress.writes()
  using _ = await tools.copies.request(taken.receipt)
  const record = (outcome: UploadOutcome) => uploadRecord(arrival, id, fileName, outcome)
  if (taken.kind !== 'duplicate') {
    const stored = await publish(tools, taken, record(taken.kind))
    if (stored !== null) return stored
  }
  // Another upload of the same bytes may have been first; its result is the same dataset.
  const receipt = taken.kind === 'duplicate' ? taken.receipt : ((await store.receipt(id)) ?? taken.receipt)
  const upload = record('duplicate')
  await store.record(upload)
  return { receipt, upload }
}

/** Null if another upload was first. */
async function publish(
  { store, quota, runner }: PublishTools,
  taken: Exclude<FinishedDraft, { kind: 'duplicate' }>,
  upload: Upload,
): Promise<StoredUpload | null> {
  const { draft, receipt } = taken
  if (taken.kind === 'repaired') {
    const stored = await store.replace(draft, receipt, upload, taken.damaged)
    runner.forget(receipt.id)
    return stored
  }
  using _ = await quota.reserve(receipt)
  return (await store.publish(draft, receipt, upload)) ? { receipt, upload } : null
}

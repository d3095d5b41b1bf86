// Publish or record: ends an upload durably, as a new dataset or as one more arrival of an existing one.
import type { Receipt } from '../../core/receipt.ts'
import type { Draft, Store } from '../../store/store.ts'
import type { UploadReply } from '../service.ts'
import type { AdmissionControl } from './admission.ts'
import { type Arrival, uploadRecord } from './arrival.ts'

export interface PublishTools {
  readonly store: Store
  readonly admissionControl: AdmissionControl
}

/** What came of taking a file in: a draft that can be published, or the receipt of the dataset that exists already. */
export type Intake =
  | { readonly kind: 'new'; readonly receipt: Receipt; readonly draft: Draft }
  | { readonly kind: 'duplicate'; readonly receipt: Receipt }

export async function publishOrRecord(
  { store, admissionControl }: PublishTools,
  arrival: Arrival,
  taken: Intake,
  fileName: string,
): Promise<Omit<UploadReply, 'notes'>> {
  const { id, file } = taken.receipt
  const receivedBytes = file.bytes + (file.compression?.bytes ?? 0)
  if (taken.kind === 'new') {
    // A body of undeclared length meets the quota only here.
    admissionControl.checkQuota(arrival.owner, receivedBytes)
    const upload = uploadRecord(arrival, id, fileName, 'new')
    if (await store.publish(taken.draft, taken.receipt, upload)) return { receipt: taken.receipt, upload }
  }
  // Another upload of the same bytes was first; what it made is the same dataset.
  const receipt = (await store.receipt(id)) ?? taken.receipt
  const upload = uploadRecord(arrival, id, fileName, 'duplicate')
  await store.record(upload)
  return { receipt, upload }
}

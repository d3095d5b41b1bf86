// Replay upload: repeats the response to an earlier request, once all bytes have proved that it is the same request.
import { createHash } from 'node:crypto'
import { viewOf } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import { byteTurns } from '../../io/turns/byte-turns.ts'
import { parseUploadOptions } from '../schema/upload-options.ts'
import type { UploadReply } from '../service.ts'
import { datasetId } from '../upload/dataset-id.ts'
import type { ExistingDatasets } from '../upload/existing-datasets.ts'
import type { IncomingFile } from '../upload/receive-file.ts'
import type { HeldKey } from './idempotency-keys.ts'

/**
 * @param receive Begins to read the body.
 * @returns null, with the body unread, if there is no earlier response, or if its dataset no longer exists or is damaged.
 * @throws {ServiceError} why the key is refused, once the file begins; IDEMPOTENCY_KEY_REUSED if the file, its name or the options differ; what reading the body
 * throws
 */
export async function replayUpload(
  { existing }: { readonly existing: ExistingDatasets },
  key: HeldKey | null,
  { owner, receive }: { readonly owner: string; readonly receive: () => Promise<IncomingFile> },
  signal: AbortSignal,
): Promise<UploadReply | null> {
  if (key?.refusal) {
    using _ = byteTurns.begin()
    await receive()
    throw key.refusal
  }
  if (!key?.answer) return null
  const { upload, notes } = key.answer
  const found = await existing.find(upload.datasetId)
  if (found.kind !== 'whole') return null
  using _ = byteTurns.begin()
  const incoming = await receive()
  const declared = await parseUploadOptions(incoming.texts, signal)
  const hash = createHash('sha256')
  for await (const slices of incoming.chunks) for (const slice of slices) hash.update(viewOf(slice))
  const id = datasetId({ sha256: hash.digest('hex'), declared, owner })
  if (id !== upload.datasetId || incoming.name !== upload.fileName) throw new ServiceError('IDEMPOTENCY_KEY_REUSED', {})
  return { receipt: found.receipt, upload, notes, isReplayed: true }
}

// Read again: reads the stored original of a dataset another way, as a dataset of its own. No bytes are sent or copied again.
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { receivedFiles, textOf } from '../../core/stored-files.ts'
import { checksumsOfFile } from '../../io/block-checksums.ts'
import { fileChunks } from '../../io/file-chunks.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import type { VerifiedFiles } from '../dataset/verified-files.ts'
import { ingest } from '../ingest/ingest.ts'
import type { UploadOptions } from '../schema/upload-options.ts'
import type { UploadReply } from '../service.ts'
import type { Arrival } from './arrival.ts'
import { datasetId } from './dataset-id.ts'
import { makeReceipt } from './make-receipt.ts'
import { intakeOf, publishOrRecord } from './publish-or-record.ts'
import { isEndingCode } from './receive-text.ts'
import type { UploadTools } from './upload.ts'

export interface ReadAgainTools extends UploadTools {
  readonly files: VerifiedFiles
}

export async function readAgain(
  tools: ReadAgainTools,
  arrival: Arrival,
  of: Receipt,
  declared: UploadOptions,
  signal: AbortSignal,
): Promise<UploadReply> {
  const { file } = of
  const id = datasetId({ sha256: file.sha256, declared, owner: arrival.owner })
  const existing = await tools.existing.find(id)
  if (existing.kind === 'whole') {
    const duplicate = { kind: 'duplicate', receipt: existing.receipt } as const
    return { ...(await publishOrRecord(tools, arrival, duplicate, file.name)), notes: [] }
  }

  await using draft = await tools.store.draft()
  const received = receivedFiles(of)
  const paths = received.map((one) => join(draft.dir, one.file))
  await tools.files.withLocal(of, received, async (stored) => {
    for (const [i, path] of paths.entries()) {
      const from = stored[i]
      if (from === undefined) throw new ServiceError('DATASET_NOT_FOUND', { id: of.id })
      await linkOrCopy(from, path)
    }
  })
  const textPath = join(draft.dir, textOf(of).file)
  const chunks = fileChunks(textPath, 0, signal)
  const source = { chunks, textPath, flush: async () => {}, isDuplicate: () => false, dir: draft.dir, declared }
  const loaded = await ingest(source, tools, signal)
  if (loaded === null) throw new Error('Cannot read again: the reading was given up, wanted records')
  const { recordBytesMax } = tools
  const checksums = await Promise.all(paths.map(checksumsOfFile))
  const notes = of.notes.filter(({ code }) => isEndingCode(code))
  const receipt = await makeReceipt({ id, file, textPath, checksums, notes, loaded, recordBytesMax }, arrival)
  return { ...(await publishOrRecord(tools, arrival, intakeOf(existing, receipt, draft), file.name)), notes: [] }
}

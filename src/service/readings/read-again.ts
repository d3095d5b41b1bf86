// Read again: reads the stored original of a dataset another way, with its corrections, as a separate dataset.

import { note } from '../../core/notes.ts'
import type { Receipt, RefusedCorrection } from '../../core/receipt.ts'
import { correctionsOf } from '../../core/stored-files.ts'
import { correctionPath } from '../ingest/correction-file.ts'
import type { UploadOptions } from '../schema/upload-options.ts'
import type { Arrival } from '../upload/arrival.ts'
import { datasetId } from '../upload/dataset-id.ts'
import type { UploadReply } from '../upload-reply.ts'
import { linkStored, type ReadStoredTools, readStored } from './read-stored.ts'

export async function readAgain(
  tools: ReadStoredTools,
  arrival: Arrival,
  of: Receipt,
  declared: UploadOptions,
  signal: AbortSignal,
): Promise<UploadReply> {
  const uncorrectedId = datasetId({ sha256: of.file.sha256, declared, owner: arrival.owner })
  const corrections = correctionsOf(of)
  if (corrections === null) {
    const reading = { of, declared, uncorrectedId, correctionsPath: null }
    const { receipt, upload } = await readStored(tools, arrival, reading, signal)
    return { receipt, upload, notes: [] }
  }
  await using draft = await tools.store.draft()
  const correctionsPath = correctionPath(draft.dir)
  await linkStored(tools, of, [corrections], [correctionsPath])
  const { receipt, upload, refused } = await readStored(
    tools,
    arrival,
    { of, declared, uncorrectedId, correctionsPath },
    signal,
  )
  return { receipt, upload, notes: refused.length === 0 ? [] : [droppedNote(refused)] }
}

function droppedNote(refused: readonly RefusedCorrection[]) {
  const shown = refused.slice(0, 3).map(({ record, message }) => `record ${record} (${message})`)
  const others = refused.length > shown.length ? ` and ${refused.length - shown.length} more` : ''
  const message = `Corrections that break the declared schema were left out: ${shown.join('; ')}${others}.`
  return note('CORRECTIONS_LEFT_OUT', message)
}

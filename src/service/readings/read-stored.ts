// Read stored: makes a dataset from the stored original of another one, without sending or copying it, and corrections.
import { createReadStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { note } from '../../core/notes.ts'
import { type Correction, firstRejectsMax, type Receipt } from '../../core/receipt.ts'
import { correctionsOf, receivedFiles, textOf } from '../../core/stored-files.ts'
import { fileChunks } from '../../io/chunks/file-chunks.ts'
import { checksumsOfFile } from '../../io/hashing/block-checksums.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import { storedScanOptions } from '../../reading/scan-options.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { VerifiedFiles } from '../dataset/verified-files.ts'
import {
  CorrectionsRefused,
  correctionPath,
  noneRefused,
  type RefusedCorrections,
  readCorrections,
} from '../ingest/correction-file.ts'
import { ingest } from '../ingest/ingest.ts'
import type { UploadOptions } from '../schema/upload-options.ts'
import type { UploadReply } from '../service.ts'
import type { UploadContext } from '../upload/arrival.ts'
import { correctedId, datasetId } from '../upload/dataset-id.ts'
import { type CorrectionFacts, makeReceipt } from '../upload/make-receipt.ts'
import { type FinishedDraft, finishedDraft, publishOrRecord } from '../upload/publish-or-record.ts'
import { isEndingCode } from '../upload/receive-text.ts'
import type { UploadTools } from '../upload/upload.ts'

export interface ReadStoredTools extends UploadTools {
  readonly files: VerifiedFiles
}

/** How to read a stored original. */
export interface StoredReading {
  readonly of: Receipt
  readonly declared: UploadOptions
  /** Id of the dataset that this makes without corrections. */
  readonly uncorrectedId: string
  /** A file of corrections, which may be empty; null for none. */
  readonly correctionsPath: string | null
}

/**
 * What `end` makes of a stored reading. `refused` are corrected records that break declared rules; they are read as they
 * were, which may have others break a key: so it is read until no correction is refused. `path` has those that remain.
 */
export async function readStored<Result>(
  tools: ReadStoredTools,
  arrival: UploadContext,
  reading: StoredReading,
  end: (finished: FinishedDraft) => Promise<Result>,
  signal: AbortSignal,
): Promise<{ readonly result: Result; readonly refused: RefusedCorrections; readonly path: string | null }> {
  const { uncorrectedId } = reading
  const refused = noneRefused()
  for (let path = reading.correctionsPath; ; ) {
    const corrections = path === null ? null : await correctionFacts(path, uncorrectedId)
    const id = corrections === null ? uncorrectedId : correctedId(uncorrectedId, corrections)
    const existing = await tools.existing.find(id)
    if (existing.kind === 'whole') {
      return { result: await end({ kind: 'duplicate', receipt: existing.receipt }), refused, path }
    }
    await using draft = await tools.store.draft()
    try {
      const receipt = await readOnce(tools, arrival, { ...reading, id, corrections, path, draft }, signal)
      return { result: await end(finishedDraft(existing, receipt, draft)), refused, path }
    } catch (error) {
      if (!(error instanceof CorrectionsRefused) || path === null) throw error
      refused.addAll(error.refused.first, error.refused.count)
      path = `${reading.correctionsPath}-without-${refused.count}`
      await rename(error.keptPath, path)
    }
  }
}

interface Once extends StoredReading {
  readonly id: string
  readonly corrections: CorrectionFacts | null
  readonly path: string | null
  readonly draft: DraftFiles
}

async function readOnce(
  tools: ReadStoredTools,
  arrival: UploadContext,
  { of, declared, id, corrections, path, draft }: Once,
  signal: AbortSignal,
): Promise<Receipt> {
  const { file } = of
  const { dir } = draft
  // Corrections refer to records as they were split then.
  const recordBytesMax = corrections === null ? tools.recordBytesMax : of.body.recordBytesMax
  const received = receivedFiles({ file })
  const paths = received.map((one) => join(dir, one.file))
  await linkStored(tools, of, received, paths)
  for (const one of received) draft.finished(one.file)
  if (corrections !== null && path !== null) await linkOrCopy(path, correctionPath(dir))
  const textPath = join(dir, textOf(of).file)
  const layout = storedScanOptions(of)
  const source = {
    chunks: fileChunks(textPath, 0, signal),
    textPath,
    flush: async () => {},
    isDuplicate: () => false,
    draft,
    declared,
    progress: arrival.progress,
    corrections: corrections && { path: correctionPath(dir), layout },
  }
  const loaded = await ingest(source, { ...tools, recordBytesMax }, signal)
  if (loaded === null) throw new Error('Cannot read again: the reading was given up, expected records')
  const checksums = await Promise.all([...paths, ...(corrections ? [correctionPath(dir)] : [])].map(checksumsOfFile))
  const notes = of.notes.filter(({ code }) => isEndingCode(code))
  const { dialect } = declared
  const read = { id, file, textPath, checksums, notes, loaded, dialect, corrections, recordBytesMax }
  return await makeReceipt(read, arrival)
}

/** Links verified stored files into a draft. */
export async function linkStored(
  { files }: Pick<ReadStoredTools, 'files'>,
  of: Receipt,
  stored: Parameters<VerifiedFiles['withLocal']>[1],
  paths: readonly string[],
): Promise<void> {
  await files.withLocal(of, stored, async (local) => {
    for (const [i, path] of paths.entries()) {
      const from = local[i]
      if (from === undefined) throw new ServiceError('DATASET_NOT_FOUND', { id: of.id })
      await linkOrCopy(from, path)
    }
  })
}

/** Null for a file without corrections. */
async function correctionFacts(path: string, of: string): Promise<CorrectionFacts | null> {
  const first: Correction[] = []
  let count = 0
  for await (const one of readCorrections(path)) {
    count++
    if (first.length < firstRejectsMax) first.push(one)
  }
  if (count === 0) return null
  const { bytes, sha256 } = await hashStream(createReadStream(path))
  return { of, count, bytes, sha256, first }
}

export async function readAgain(
  tools: ReadStoredTools,
  arrival: UploadContext,
  of: Receipt,
  declared: UploadOptions,
  signal: AbortSignal,
): Promise<UploadReply> {
  const uncorrectedId = datasetId({ sha256: of.file.sha256, declared, owner: arrival.owner })
  const corrections = correctionsOf(of)
  await using draft = corrections && (await tools.store.draft())
  const correctionsPath = draft && correctionPath(draft.dir)
  if (corrections !== null && correctionsPath !== null) await linkStored(tools, of, [corrections], [correctionsPath])
  const reading = { of, declared, uncorrectedId, correctionsPath }
  const end = (finished: FinishedDraft) => publishOrRecord(tools, arrival, finished, of.file.name)
  const { result, refused } = await readStored(tools, arrival, reading, end, signal)
  return { ...result, notes: refused.count === 0 ? [] : [droppedNote(refused)] }
}

function droppedNote({ count, first }: RefusedCorrections) {
  const shown = first.slice(0, 3).map(({ record, message }) => `record ${record} (${message})`)
  const others = count > shown.length ? ` and ${count - shown.length} more` : ''
  const message = `Corrections that break the declared schema were left out: ${shown.join('; ')}${others}.`
  return note('CORRECTIONS_LEFT_OUT', message)
}

// Read stored: makes a dataset from the stored original of another one, without sending or copying it, and corrections.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { note } from '../../core/notes.ts'
import { type Correction, firstRejectsMax, type Receipt, type RefusedCorrection } from '../../core/receipt.ts'
import { correctionsOf, receivedFiles, textOf } from '../../core/stored-files.ts'
import { fileChunks } from '../../io/chunks/file-chunks.ts'
import { checksumsOfFile } from '../../io/hashing/block-checksums.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import { storedScanOptions } from '../../reading/scan-options.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { VerifiedFiles } from '../dataset/verified-files.ts'
import { CorrectionsRefused, correctionPath, readCorrections, withoutRecords } from '../ingest/correction-file.ts'
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
 * The result of a stored reading. `refused` are corrected records that break declared rules; they are read as they
 * were, which may have others break a key: so it is read until no correction is refused.
 */
export async function readStored(
  tools: ReadStoredTools,
  arrival: UploadContext,
  reading: StoredReading,
  signal: AbortSignal,
) {
  const { of, uncorrectedId } = reading
  const refused: RefusedCorrection[] = []
  for (let path = reading.correctionsPath; ; ) {
    const corrections = path === null ? null : await correctionFacts(path, uncorrectedId)
    const id = corrections === null ? uncorrectedId : correctedId(uncorrectedId, corrections)
    const existing = await tools.existing.find(id)
    if (existing.kind === 'whole') {
      const duplicate = { kind: 'duplicate', receipt: existing.receipt } as const
      return { ...(await publishOrRecord(tools, arrival, duplicate, of.file.name)), corrections, refused }
    }
    await using draft = await tools.store.draft()
    try {
      const receipt = await readOnce(tools, arrival, { ...reading, id, corrections, path, draft }, signal)
      const taken: FinishedDraft = finishedDraft(existing, receipt, draft)
      return { ...(await publishOrRecord(tools, arrival, taken, of.file.name)), corrections, refused }
    } catch (error) {
      if (!(error instanceof CorrectionsRefused) || path === null) throw error
      refused.push(...error.refused)
      const records = new Set(refused.map(({ record }) => record))
      const fewer = `${reading.correctionsPath}-without-${refused.length}`
      await withoutRecords(readCorrections(path), records, fewer)
      path = fewer
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

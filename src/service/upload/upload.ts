// Upload: the order of one upload, from its body to a durable dataset. Each step consumes the previous step's result.
import { join } from 'node:path'
import type { DecompressLimits } from '../../compression/decompress.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { Digest } from '../../io/hashing/file-digest.ts'
import type { Draft } from '../../store/store.ts'
import { ingest } from '../ingest/ingest.ts'
import type { IngestTools } from '../ingest/segment-source.ts'
import { parseUploadOptions, type UploadOptions } from '../schema/upload-options.ts'
import type { Admission, UploadReply } from '../service.ts'
import type { UploadContext } from './arrival.ts'
import { datasetId } from './dataset-id.ts'
import type { DatasetLookup, ExistingDatasets } from './existing-datasets.ts'
import { makeReceipt } from './make-receipt.ts'
import { type Original, OriginalWriter, throughDraft } from './original-writer.ts'
import { type FinishedDraft, finishedDraft, type PublishTools, publishOrRecord } from './publish-or-record.ts'
import { type IncomingFile, type ReceiveLimits, receiveFile } from './receive-file.ts'
import { endingNotes, receiveText } from './receive-text.ts'

export interface UploadTools extends IngestTools, PublishTools {
  readonly existing: ExistingDatasets
  readonly limits: ReceiveLimits & DecompressLimits
}

/** Receives a body; resolves when its dataset is durable. */
export async function upload(
  tools: UploadTools,
  arrival: UploadContext,
  { boundary }: Pick<Admission, 'boundary'>,
  body: AsyncIterable<readonly BorrowedBytes[]>,
  signal: AbortSignal,
): Promise<UploadReply> {
  const incoming = await receiveFile(body, boundary, tools.limits)
  return await uploadFile(tools, arrival, incoming, OriginalWriter.create, signal)
}

/**
 * Receives a file; resolves when its dataset is durable.
 *
 * @param openOriginal Called with the path for the original.
 */
export async function uploadFile(
  tools: UploadTools,
  arrival: UploadContext,
  incoming: IncomingFile,
  openOriginal: (path: string) => Promise<Original>,
  signal: AbortSignal,
): Promise<UploadReply> {
  arrival.progress.named(incoming.name)
  const declared = await parseUploadOptions(incoming.texts, signal)
  await using draft = await tools.store.draft()
  await using original = await openOriginal(join(draft.dir, 'original'))
  const taken = await readAndStore(tools, arrival, { ...incoming, original }, declared, draft, signal)
  const published = await publishOrRecord(tools, arrival, taken, incoming.name)
  return { ...published, notes: incoming.notes() }
}

/** Reads a file while it arrives and is written; stops if its last byte shows that the dataset already exists. */
async function readAndStore(
  tools: UploadTools,
  arrival: UploadContext,
  incoming: IncomingFile & { readonly original: Original },
  declared: UploadOptions,
  draft: Draft,
  signal: AbortSignal,
): Promise<FinishedDraft> {
  const { original } = incoming
  const facts: LastByteFacts = { digest: null, id: '', existing: { kind: 'none' }, closed: Promise.resolve() }

  /** All bytes are known shortly before all records are converted, so a duplicate is found earlier. */
  const ended = async () => {
    facts.digest = await original.digest()
    facts.id = datasetId({ sha256: facts.digest.sha256, declared, owner: arrival.owner })
    facts.existing = await tools.existing.find(facts.id)
    if (facts.existing.kind === 'whole') return
    draft.finished('original')
    facts.closed = original.close()
    facts.closed.catch(() => {})
  }

  const arriving = {
    chunks: throughDraft(incoming.chunks, original, { draft, file: 'original' }, ended),
    textPath: original.path,
    flush: () => original.flush(),
    isDuplicate: () => facts.existing.kind === 'whole',
  }
  await using text = await receiveText(arriving, draft, tools.limits)
  const source = { ...text.arriving, draft, declared, corrections: null, progress: arrival.progress }
  const loaded = await ingest(source, tools, signal)
  const { digest, id, existing, closed } = facts
  if (existing.kind === 'whole') return { kind: 'duplicate', receipt: existing.receipt }
  if (loaded === null || digest === null) {
    throw new Error('Cannot store file: its reading ended early, expected records or a duplicate')
  }
  await closed
  const { compression, ending, checksums: ofText } = await text.finish()
  const received = {
    name: incoming.name,
    bytes: original.bytes,
    sha256: digest.sha256,
    contentType: incoming.contentType,
  }
  const file = { ...received, ...(compression && { compression }) }
  const notes = endingNotes(ending, loaded.tally.lines)
  const { textPath } = text.arriving
  const { recordBytesMax } = tools
  const { dialect } = declared
  const checksums = [digest.checksums, ...ofText]
  const read = { id, file, textPath, checksums, notes, loaded, dialect, corrections: null, recordBytesMax }
  const receipt = await makeReceipt(read, arrival)
  return finishedDraft(existing, receipt, draft)
}

/** The facts of a file once its last byte has arrived. */
interface LastByteFacts {
  digest: Digest | null
  id: string
  existing: DatasetLookup
  /** Resolves when the original is closed. */
  closed: Promise<void>
}

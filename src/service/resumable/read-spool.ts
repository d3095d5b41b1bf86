// Read spool: reads one resumable upload from its first byte on while the rest arrives, independent of its connections.
import { open } from 'node:fs/promises'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import type { OptionPart } from '../schema/upload-options.ts'
import type { UploadReply } from '../service.ts'
import { boundaryOf } from '../upload/admission.ts'
import { OriginalWriter } from '../upload/original-writer.ts'
import { type IncomingFile, receiveFile } from '../upload/receive-file.ts'
import { type UploadTools, uploadFile } from '../upload/upload.ts'
import { replayUpload } from '../uploads/replay-upload.ts'
import { growingFile } from './growing-file.ts'
import type { NewResumable } from './resumable.ts'
import type { ResumableUpload } from './resumable-upload.ts'
import { linkedOriginal } from './stored-original.ts'

/**
 * Resolves when the dataset is durable, together with what belongs to its key. The bytes of a file become its original
 * as they are, except those of a form.
 */
export async function readSpool(tools: UploadTools, of: ResumableUpload, signal: AbortSignal): Promise<UploadReply> {
  const { spool, details, live, growth, key } = of
  const { id, owner, createdAt } = spool.facts
  // Who receives a file may refuse it without reading it to its end.
  await using file = await open(spool.path, 'r')
  const receive = async () => {
    const incoming = await incomingOf(tools, of, growingFile(file, growth, signal))
    if (!key?.refusal) of.fileBegun.resolve()
    return incoming
  }
  const replayed = await replayUpload(tools, key, { owner, receive }, signal)
  if (replayed !== null) return replayed
  const startMs = performance.now() - (Date.now() - createdAt)
  const arrival = { owner, uploadId: id, receivedAt: createdAt, startMs, progress: live }
  const original = (path: string) =>
    details.form === null ? linkedOriginal(spool.path, path) : OriginalWriter.create(path)
  const reply = await uploadFile(tools, arrival, await receive(), original, signal)
  await key?.keep(reply)
  return reply
}

async function incomingOf(
  { limits }: UploadTools,
  { details }: ResumableUpload,
  bytes: AsyncIterable<readonly BorrowedBytes[]>,
): Promise<IncomingFile> {
  const { form, fileName: name, fileType: contentType, declared } = details
  if (form !== null) return await receiveFile(bytes, boundaryOf(form.contentType), limits)
  return { name, contentType, texts: declaredTexts(declared), chunks: notEmpty(bytes), notes: () => [] }
}

export function declaredTexts(declared: NewResumable['declared']): ReadonlyMap<OptionPart, string> {
  const { dialect, schema } = declared
  return new Map([
    ...(dialect === undefined ? [] : ([['dialect', dialect]] as const)),
    ...(schema === undefined ? [] : ([['schema', schema]] as const)),
  ])
}

async function* notEmpty(bytes: AsyncIterable<readonly BorrowedBytes[]>): AsyncGenerator<readonly BorrowedBytes[]> {
  let isEmpty = true
  for await (const slices of bytes) {
    isEmpty = false
    yield slices
  }
  if (isEmpty) throw new ServiceError('EMPTY_FILE', {})
}

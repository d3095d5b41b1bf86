// Read spool: the reading of one resumable upload, from its first byte on while the rest arrives, whatever its connections do.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import type { UploadReply } from '../service.ts'
import { boundaryOf } from '../upload/admission.ts'
import type { OptionPart } from '../upload/receive-file.ts'
import { type UploadTools, upload, uploadFile } from '../upload/upload.ts'
import { growingFile } from './growing-file.ts'
import type { NewResumable } from './resumable.ts'
import type { ResumableUpload } from './resumable-upload.ts'
import { linkedOriginal } from './stored-original.ts'

/** Resolves when the dataset is durable. The bytes of a file, but for those of a form, become its original as they are. */
export async function readSpool(tools: UploadTools, of: ResumableUpload, signal: AbortSignal): Promise<UploadReply> {
  const { spool, details, live, growth } = of
  const { id, owner, createdAt } = spool.facts
  const startMs = performance.now() - (Date.now() - createdAt)
  const arrival = { owner, uploadId: id, receivedAt: createdAt, startMs, progress: live }
  const bytes = growingFile(spool.path, growth, signal)
  if (details.form !== null) {
    const boundary = boundaryOf(details.form.contentType)
    return await upload(tools, arrival, { boundary }, bytes, signal)
  }
  const incoming = {
    name: details.fileName,
    contentType: details.fileType,
    texts: declaredTexts(details.declared),
    chunks: slicesOf(bytes),
    notes: () => [],
  }
  return await uploadFile(tools, arrival, incoming, (path) => linkedOriginal(spool.path, path), signal)
}

export function declaredTexts(declared: NewResumable['declared']): ReadonlyMap<OptionPart, string> {
  const { dialect, schema } = declared
  return new Map([
    ...(dialect === undefined ? [] : ([['dialect', dialect]] as const)),
    ...(schema === undefined ? [] : ([['schema', schema]] as const)),
  ])
}

async function* slicesOf(bytes: AsyncIterable<BorrowedBytes>): AsyncGenerator<readonly BorrowedBytes[]> {
  let isEmpty = true
  for await (const slice of bytes) {
    isEmpty = false
    yield [slice]
  }
  if (isEmpty) throw new ServiceError('EMPTY_FILE', {})
}

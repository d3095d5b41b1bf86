// New spool: begins an upload that arrives in several requests, after checking all that can be checked before its first byte.
import { ServiceError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { fileNameOf, lastSegment } from '../../multipart/part-head.ts'
import type { Spool } from '../../store/store.ts'
import { clientOf } from '../fair-places.ts'
import { parseUploadOptions } from '../schema/upload-options.ts'
import { type AdmissionControl, boundaryOf, checkCoding } from '../upload/admission.ts'
import type { UploadTools } from '../upload/upload.ts'
import { declaredTexts } from './read-spool.ts'
import type { NewResumable } from './resumable.ts'
import type { UploadDetails } from './resumable-upload.ts'
import type { UnfinishedPlaces } from './unfinished-places.ts'

export interface NewSpoolTools extends Pick<UploadTools, 'store'> {
  readonly admissionControl: AdmissionControl
  readonly places: UnfinishedPlaces
  readonly bytesMax: number
}

/** @throws {ServiceError} as `ResumableUploads.create` */
export async function newSpool(
  { store, admissionControl, places, bytesMax }: NewSpoolTools,
  owner: string,
  {
    network,
    expectedBytes,
    disposition,
    ...given
  }: NewResumable & Pick<UploadDetails, 'idempotencyKey'> & { readonly sender: string },
): Promise<Spool> {
  const client = clientOf(owner, network)
  if (given.form !== null) {
    boundaryOf(given.form.contentType)
    checkCoding(given.form.contentCoding)
  }
  if (expectedBytes === 0) throw new ServiceError('EMPTY_FILE', {})
  if ((expectedBytes ?? 0) > bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: bytesMax })
  const bytes = expectedBytes ?? 0
  places.check(client, bytes)
  // Its first bytes hold a place; until then, no other upload ends for it.
  admissionControl.checkBytes({ fileBytes: bytes, missingBytes: bytes, network }, owner)
  await parseUploadOptions(declaredTexts(given.declared), AbortSignal.timeout(10_000))
  places.check(client, bytes)
  const createdAt = Date.now()
  const details: UploadDetails = { ...given, fileName: nameOf(given.fileName, disposition), client }
  const facts = { id: uuidV7(createdAt), owner, createdAt, details }
  using _ = places.hold(client, bytes)
  return await store.spools.create(facts, expectedBytes)
}

/** The name itself takes precedence over the one in the header. @throws {ServiceError} BAD_PARAMETER, BAD_MULTIPART */
function nameOf(fileName: string, disposition: string | null): string {
  if (/[\0\r\n]/.test(fileName)) {
    throw new ServiceError('BAD_PARAMETER', { name: 'filename', seen: 'a NUL or a line end in it', wanted: 'none' })
  }
  if (fileName !== '') return lastSegment(fileName)
  return disposition === null ? '' : (fileNameOf(disposition) ?? '')
}

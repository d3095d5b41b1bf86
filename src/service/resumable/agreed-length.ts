// Agreed length: checks the offset and length stated by a request against the known state of the upload.
import { ServiceError } from '../../core/errors.ts'
import type { Spool } from '../../store/store.ts'
import type { ResumableBytes } from './resumable.ts'

/**
 * Returns the length of the whole upload as far as it is known now.
 * @throws {ServiceError} UPLOAD_COMPLETED, UPLOAD_OFFSET_MISMATCH, UPLOAD_LENGTH_MISMATCH, FILE_TOO_LARGE
 */
export function agreedLength(
  { facts, state }: Pick<Spool, 'facts' | 'state'>,
  given: Pick<ResumableBytes, 'offset' | 'expectedBytes' | 'isLast' | 'declaredBytes'>,
  bytesMax: number,
): number | null {
  const { offset, declaredBytes } = given
  if (state.isComplete && offset === state.bytes && declaredBytes === 0) {
    throw new ServiceError('UPLOAD_COMPLETED', { id: facts.id })
  }
  if (offset !== state.bytes) {
    throw new ServiceError('UPLOAD_OFFSET_MISMATCH', { expected: state.bytes, provided: offset })
  }
  const ends = given.isLast && declaredBytes !== null ? [offset + declaredBytes] : []
  const lengths = new Set([state.expectedBytes, given.expectedBytes, ...ends].filter((one) => one !== null))
  if (lengths.size > 1) throw inconsistent(`its length is given as both ${[...lengths].join(' and ')} bytes`)
  const [length = null] = lengths
  const end = offset + (declaredBytes ?? 0)
  if (length !== null && end > length) throw inconsistent(`the bytes end at offset ${end}, wanted at most ${length}`)
  if (Math.max(length ?? 0, end) > bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: bytesMax })
  if (state.isComplete) throw inconsistent(`it is complete with ${state.bytes} bytes`)
  return length
}

function inconsistent(problem: string): ServiceError {
  return new ServiceError('UPLOAD_LENGTH_MISMATCH', { problem })
}

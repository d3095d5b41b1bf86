// Spool fetcher: the child process of the test of fetched spools. Fetches an upload of one chunk into the file `spool`,
// and prints the code of the error if that fails. Arguments: directory, bytes of the chunk.
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ServiceError } from '../../../src/core/errors.ts'
import type { S3Objects } from '../../../src/store/s3/s3-objects.ts'
import type { Kept } from '../../../src/store/s3/spool/kept-spool.ts'
import { S3Spool, type SpoolPlaces } from '../../../src/store/s3/spool/s3-spool.ts'

const [, , dir = '', bytesText = ''] = process.argv
const content = Buffer.alloc(Number(bytesText), 1)
const bytes = content.length
const id = '019aa1b2-4c80-7000-8000-0123456789ab'
const facts = { id, owner: '', createdAt: 0, details: null }
const state = { bytes, expectedBytes: bytes, isComplete: true, changedAt: 0 }
const own = { format: 1, epoch: 1, hold: '', writes: 1, holder: null, isSealed: false, status: null } as const
const kept: Kept = { ...own, ...state, facts, chunks: [{ name: 'chunk', bytes, crc: crc32(content) }] }
const objects = { read: async () => [content] } as unknown as S3Objects // nothing else is called
const logger: SpoolPlaces['logger'] = { info: () => {}, warn: () => {} }
const spool = new S3Spool({ objects, directory: dir, leaseMs: 60_000, logger }, join(dir, 'spool'), kept, '')
try {
  await spool.fetch(AbortSignal.timeout(10_000))
  process.stdout.write('fetched')
} catch (error) {
  process.stdout.write(error instanceof ServiceError ? error.code : String(error))
}

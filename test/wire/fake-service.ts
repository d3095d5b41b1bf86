// Fake service: replaces the real one in tests of the HTTP side. It reads multipart bodies, keeps files in memory, and
// invents everything that would need a CSV reader.
import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BorrowedBytes } from '../../src/core/borrowed-bytes.ts'
import { ServiceError } from '../../src/core/errors.ts'
import type { Receipt } from '../../src/core/receipt.ts'
import type { Admission, ByteRange, Download, Service, UploadHead } from '../../src/service/service.ts'
import { boundaryOf } from '../../src/service/upload/admission.ts'
import { receiveFile } from '../../src/service/upload/receive-file.ts'
import { sample } from '../../src/store/store-samples.testing.ts'

export interface FakeLimits {
  readonly fileBytesMax: number
  readonly requestBytesMax: number
  readonly uploadsMax: number
}

interface FakeDataset {
  readonly receipt: Receipt
  readonly bytes: Buffer
}

/** A Service for tests, with the state and outcome of its uploads. */
export interface FakeService extends Service {
  /** Uploads in progress. */
  readonly open: Set<Promise<unknown>>
  /** Reasons for which uploads were aborted. */
  readonly aborts: unknown[]
  /** Makes every download fail after this many bytes. */
  breakAfterBytes: number | null
  /** Uploads read only one chunk until the promise of this function resolves; its rejection is thrown. */
  gate: () => Promise<void>
}

const defaultLimits: FakeLimits = { fileBytesMax: 1_048_576_000, requestBytesMax: 1_048_576_000, uploadsMax: 64 }

export function createFakeService(given: Partial<FakeLimits> = {}): FakeService {
  const limits = { ...defaultLimits, ...given }
  const datasets = new Map<string, FakeDataset>()
  const open = new Set<Promise<unknown>>()
  const aborts: unknown[] = []
  let admittedCount = 0

  function find(id: string): FakeDataset {
    const dataset = datasets.get(id)
    if (dataset === undefined) throw new ServiceError('DATASET_NOT_FOUND', { id })
    return dataset
  }

  function download({ receipt, bytes }: FakeDataset): Download {
    return {
      receipt,
      bytes: bytes.length,
      sha256: receipt.file.sha256,
      tag: receipt.file.sha256,
      open: async (_signal, range?: ByteRange) => {
        const wanted = range === undefined ? bytes : bytes.subarray(range.start, range.end)
        const given = pieces(wanted, fake.breakAfterBytes)
        const stream = Readable.from(given, { objectMode: false })
        return { stream, bytes: wanted.length }
      },
    }
  }

  async function keep(boundary: string, body: AsyncIterable<readonly BorrowedBytes[]>, signal: AbortSignal) {
    const receivedAt = Date.now()
    signal.addEventListener('abort', () => aborts.push(signal.reason), { once: true })
    const chunksOfBody = body[Symbol.asyncIterator]()
    const first = await chunksOfBody.next()
    await fake.gate()
    const file = await receiveFile(withFirst(first, chunksOfBody), boundary, limits)
    const chunks: Uint8Array[] = []
    for await (const slices of file.chunks) for (const slice of slices) chunks.push(Uint8Array.from(slice))
    const bytes = Buffer.concat(chunks)
    const receipt = fakeReceipt(bytes, file.name, file.contentType)
    const duplicate = datasets.has(receipt.id)
    if (!duplicate) datasets.set(receipt.id, { receipt, bytes })
    const upload = {
      id: randomUUID(),
      datasetId: receipt.id,
      fileName: file.name,
      owner: '',
      receivedAt,
      durationMs: 1,
      outcome: duplicate ? ('duplicate' as const) : ('new' as const),
    }
    return { receipt: datasets.get(receipt.id)?.receipt ?? receipt, upload, notes: file.notes() }
  }

  const fake = {
    open,
    aborts,
    breakAfterBytes: null,
    gate: async () => {},
    async admit(head: UploadHead) {
      const boundary = boundaryOf(head.contentType)
      if (admittedCount >= limits.uploadsMax) throw new ServiceError('TOO_MANY_UPLOADS', { limit: limits.uploadsMax })
      admittedCount += 1
      let isHeld = true
      return {
        boundary,
        declaredBytes: head.declaredBytes,
        body: head.body,
        idempotencyKey: null,
        release: () => {
          if (isHeld) admittedCount -= 1
          isHeld = false
        },
      }
    },
    async upload(admission: Admission, body: AsyncIterable<readonly BorrowedBytes[]>, signal: AbortSignal) {
      const work = keep(admission.boundary, body, signal)
      open.add(work)
      try {
        return await work
      } finally {
        open.delete(work)
        admission.release()
      }
    },
    resumable: { bytesMax: 1_048_576_000 },
    datasets: async () => {
      const state = { trashedAt: null, isDismissed: false, versions: 1 }
      return { datasets: [...datasets.values()].map(({ receipt }) => ({ receipt, ...state })), total: 1, after: null }
    },
    dataset: async (id: string) => find(id).receipt,
    download: async (id: string) => download(find(id)),
    remove: async (id: string) => {
      find(id)
      datasets.delete(id)
    },
    ready: async () => {},
    as: () => fake,
  } as unknown as FakeService // the rest is not called
  return fake
}

async function* withFirst(
  first: IteratorResult<readonly BorrowedBytes[]>,
  rest: AsyncIterator<readonly BorrowedBytes[]>,
) {
  for (let next = first; !next.done; next = await rest.next()) yield next.value
}

function* pieces(bytes: Buffer, breakAfterBytes: number | null) {
  for (let start = 0; start < bytes.length; start += 65_536) {
    if (breakAfterBytes !== null && start >= breakAfterBytes) throw new Error('the disk is on fire')
    // A copy, because its receiver may release it.
    yield Buffer.from(bytes.subarray(start, start + 65_536))
  }
}

function fakeReceipt(bytes: Buffer, name: string, contentType: string | null): Receipt {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const { receipt } = sample({ seed: sha256, partCount: 0, createdAt: Date.now() })
  return {
    ...receipt,
    id: sha256.slice(0, 32),
    file: { name, bytes: bytes.length, sha256, contentType },
    dialect: { ...receipt.dialect, lineTerminator: '\r\n' },
    columns: [{ name: 'id', type: 'text', nulls: 0, why: 'made up' }],
    body: { byteOffset: 4, records: 1, lines: 1, headerFields: ['id'], recordBytesMax: 1_000 },
  }
}

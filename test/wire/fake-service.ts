// Fake service: replaces the real one in tests of the HTTP side. It reads multipart bodies, keeps files in memory, and
// invents everything that would need a CSV reader.
import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BorrowedBytes } from '../../src/core/borrowed-bytes.ts'
import { ServiceError } from '../../src/core/errors.ts'
import type { Receipt } from '../../src/core/receipt.ts'
import { readMultipartType } from '../../src/multipart/content-type.ts'
import type { ByteRange, Download, Service, UploadHead } from '../../src/service/service.ts'
import { boundaryOf as checkBoundary } from '../../src/service/upload/admission.ts'
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
  /** Makes every download end this many bytes early. */
  loseBytes: number
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

  function download({ receipt, bytes }: FakeDataset, isLengthKnown: boolean): Download {
    return {
      receipt,
      bytes: isLengthKnown ? bytes.length : null,
      sha256: isLengthKnown ? receipt.file.sha256 : null,
      tag: isLengthKnown ? receipt.file.sha256 : null,
      open: async (_signal, range?: ByteRange) => {
        const wanted = range === undefined ? bytes : bytes.subarray(range.start, range.end)
        const given = pieces(wanted.subarray(0, wanted.length - fake.loseBytes), fake.breakAfterBytes)
        const stream = Readable.from(given, { objectMode: false })
        return { stream, bytes: isLengthKnown ? wanted.length : null }
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

  const fake: FakeService = {
    open,
    aborts,
    breakAfterBytes: null,
    loseBytes: 0,
    gate: async () => {},
    async admit(head) {
      const boundary = boundaryOf(head, limits)
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
    async upload(admission, body, signal) {
      const work = keep(admission.boundary, body, signal)
      open.add(work)
      try {
        return await work
      } finally {
        open.delete(work)
        admission.release()
      }
    },
    admitCorrections: async (id) => {
      const none = { boundary: null, declaredBytes: null, body: undefined }
      return { ...none, receipt: find(id).receipt, release: () => {} }
    },
    correct: async ({ receipt }) => {
      const upload = {
        id: 'corrected',
        datasetId: receipt.id,
        fileName: receipt.file.name,
        owner: '',
        receivedAt: 0,
        durationMs: 0,
        outcome: 'duplicate' as const,
      }
      const corrected = { sent: 0, unchanged: 0, refused: 0, firstRefused: [] }
      return { receipt, upload, notes: [], corrected }
    },
    previewCorrections: async () => ({ sent: 0, unchanged: 0, refused: 0, firstRefused: [] }),
    readAgain: async (id) => {
      const { receipt } = find(id)
      const upload = {
        id: 'again',
        datasetId: id,
        fileName: receipt.file.name,
        owner: '',
        receivedAt: 0,
        durationMs: 0,
        outcome: 'duplicate' as const,
      }
      return { receipt, upload, notes: [] }
    },
    uploads: {
      get: (id) => noUpload(id),
      list: () => ({ uploads: [], after: null }),
      watch: (id) => noUpload(id),
      watchAll: () => ({ live: () => [], [Symbol.dispose]() {} }),
      remove: async (id) => noUpload(id),
    },
    resumable: {
      bytesMax: 1_048_576_000,
      create: async ({ form }) => {
        if (form !== null) checkBoundary(form.contentType)
        throw new ServiceError('DISK_FULL', {})
      },
      state: async (id) => noUpload(id),
      append: async (id) => noUpload(id),
    },
    datasets: async ({ limit, name }) => {
      const all = [...datasets.values()].map((dataset) => dataset.receipt).reverse()
      const found = all.filter((receipt) => name === null || receipt.file.name.includes(name))
      const shown = found.slice(0, limit)
      const state = { trashedAt: null, isDismissed: false, versions: 1 }
      const after = found.length > limit ? 'more' : null
      return { datasets: shown.map((receipt) => ({ receipt, ...state })), total: found.length, after }
    },
    changes: () => ({ take: () => ({ datasets: [], uploads: [], isIncomplete: false }), [Symbol.dispose]() {} }),
    dataset: async (id) => find(id).receipt,
    rows: async (id, { offset, columns }) => {
      const { receipt } = find(id)
      const named = receipt.columns.filter(({ name }) => columns === null || columns.includes(name))
      return { columns: named.map(({ name, type }) => ({ name, type })), offset, total: 1, rows: [['x']] }
    },
    rejects: async (id, { offset }) => ({ total: find(id).receipt.rejects.count, offset, rejects: [] }),
    profile: async (id) => ({ num_examples: find(id).receipt.records.accepted, statistics: [], partial: false }),
    download: async (id, form) => {
      if (form.kind === 'corrections' || (form.kind === 'part' && form.index > 0))
        throw new ServiceError('NOT_FOUND', {})
      return download(find(id), ['original', 'parquet', 'part'].includes(form.kind))
    },
    query: async (id, { sql }) => {
      find(id)
      const answer = { columns: [{ name: 'sql', type: 'text' }], rows: [[sql]], truncated: false }
      return Readable.from([JSON.stringify(answer)], { objectMode: false })
    },
    copy: async (id, { to }) => {
      find(id)
      throw new ServiceError('BAD_PARAMETER', { name: 'to', seen: `there is no target '${to}'`, expected: 'another' })
    },
    copies: async (id) => {
      find(id)
      return { targets: [], copies: [] }
    },
    restore: async (id) => {
      throw new ServiceError('DATASET_NOT_FOUND', { id })
    },
    erase: async (id) => {
      throw new ServiceError('DATASET_NOT_FOUND', { id })
    },
    dismiss: async (id) => {
      find(id)
    },
    remove: async (id, _, isMeant) => {
      if (isMeant?.(find(id).receipt) === false) throw new ServiceError('PRECONDITION_FAILED', { action: 'delete it' })
      find(id)
      datasets.delete(id)
    },
    allowance: () => ({
      bytes: { used: 0, max: Number.POSITIVE_INFINITY },
      datasets: { used: datasets.size, max: Number.POSITIVE_INFINITY },
      fileBytesMax: limits.fileBytesMax,
      requestBytesMax: limits.requestBytesMax,
      uploadsMax: limits.uploadsMax,
      keepMs: Number.POSITIVE_INFINITY,
      trash: { datasets: 0, bytes: 0 },
      keepTrashMs: 604_800_000,
    }),
    ready: async () => {},
    as: () => fake,
  }
  return fake
}

function noUpload(id: string): never {
  throw new ServiceError('UPLOAD_NOT_FOUND', { id })
}

async function* withFirst(
  first: IteratorResult<readonly BorrowedBytes[]>,
  rest: AsyncIterator<readonly BorrowedBytes[]>,
) {
  for (let next = first; !next.done; next = await rest.next()) yield next.value
}

/** The boundary, if the headers allow the upload. */
function boundaryOf(head: UploadHead, limits: FakeLimits): string {
  const type = readMultipartType(head.contentType)
  if (type.kind === 'other') throw new ServiceError('NOT_MULTIPART', { contentType: head.contentType || null })
  if (type.kind === 'no-boundary') throw new ServiceError('NO_BOUNDARY', {})
  if (type.kind === 'bad') throw new ServiceError('BAD_MULTIPART', { problem: type.problem })
  if (head.contentCoding) throw new ServiceError('CONTENT_CODED', { coding: head.contentCoding })
  if ((head.declaredBytes ?? 0) > limits.requestBytesMax) {
    throw new ServiceError('REQUEST_TOO_LARGE', { limitBytes: limits.requestBytesMax })
  }
  return type.boundary
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

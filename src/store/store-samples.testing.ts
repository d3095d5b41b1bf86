// Store samples: small datasets for tests of stores. Knows only the interface.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ByteStream } from '../core/byte-stream.ts'
import type { Part, Receipt, Upload } from '../core/receipt.ts'
import { throwStoreError } from '../core/storage-error.ts'
import { BlockChecksums } from '../io/hashing/block-checksums.ts'
import type { DatasetVersion, Draft, Store } from './store.ts'

export interface Sample {
  readonly receipt: Receipt
  /** Content of every file the receipt names. */
  readonly files: ReadonlyMap<string, Buffer>
}

export interface SampleWish {
  /** Determines the id and the content; the same seed makes the same dataset. */
  readonly seed: string | number
  readonly name?: string
  readonly createdAt?: number
  readonly owner?: string
  readonly originalBytes?: number
  readonly partCount?: number
  readonly rejectPartCount?: number
  /** Size of the corrections file; 0 for none. */
  readonly correctionBytes?: number
  /** Size of the first part; each further part is a byte longer. Default: 60. */
  readonly partBytes?: number
}

/** Makes a dataset of the given shape. Default: 100 bytes, one part, no rejects. */
export function sample(wish: SampleWish): Sample {
  const { seed, name = `${seed}.csv`, createdAt = 1_763_650_000_000, owner = '', originalBytes = 100 } = wish
  const files = new Map([['original', bytesOf(`${seed} original`, originalBytes)]])
  const parts = (directory: string, count: number): Part[] =>
    Array.from({ length: count }, (_, index) => {
      const file = `${directory}/part-${String(index).padStart(5, '0')}.parquet`
      const bytes = bytesOf(`${seed} ${file}`, (wish.partBytes ?? 60) + index)
      files.set(file, bytes)
      return { file, bytes: bytes.length, records: 1, sha256: sha256(bytes) }
    })
  const original = files.get('original')!
  const rejectParts = parts('rejects', wish.rejectPartCount ?? 0)
  const dataParts = parts('data', wish.partCount ?? 1)
  // In the order in which the receipt lists the files.
  const corrections = correctionsOf(wish)
  if (corrections !== null) files.set('corrections', corrections)
  const received = ['original', ...(corrections === null ? [] : ['corrections'])]
  const named = [...received, ...[...dataParts, ...rejectParts].map(({ file }) => file)]
  const checksums = Buffer.concat(named.map((file) => checksumsOf(files.get(file)!)))
  if (checksums.length > 0) files.set('checksums', checksums)
  const receipt: Receipt = {
    id: sha256(Buffer.from(`id of ${seed}`)).slice(0, 32),
    file: { name, bytes: original.length, sha256: sha256(original), contentType: 'text/csv' },
    encoding: { name: 'utf-8', bom: false },
    body: { byteOffset: 0, lines: 0, records: 0, headerFields: null, recordBytesMax: 1_000 },
    evidence: {
      encoding: 'made up',
      dialect: { code: 'best', delimiter: ',', width: 1, fitting: 0, records: 0 },
      header: { code: 'empty', typed: 0, unlike: 0, like: 0, isUncertain: false, lines: [] },
    },
    dialect: {
      delimiter: ',',
      quoteChar: '"',
      doubleQuote: true,
      escapeChar: null,
      lineTerminator: '\n',
      header: true,
      skipRows: 0,
      commentChar: null,
      skipInitialSpace: false,
    },
    records: { total: 2, header: 1, blank: 0, skipped: 0, accepted: 1, rejected: 0 },
    columns: [{ name: 'größe', type: 'integer', nulls: 0, why: 'all 1 values are integers' }],
    ...(corrections !== null && {
      corrections: { of: 'f'.repeat(32), count: 1, bytes: corrections.length, sha256: sha256(corrections), first: [] },
    }),
    rejects: { count: rejectParts.length, reasons: {}, first: [], parts: rejectParts },
    parts: dataParts,
    checksums:
      checksums.length === 0 ? null : { file: 'checksums', bytes: checksums.length, sha256: sha256(checksums) },
    notes: [],
    createdAt,
    owner,
  }
  return { receipt, files }
}

function correctionsOf({ seed, correctionBytes = 0 }: SampleWish): Buffer | null {
  return correctionBytes === 0 ? null : bytesOf(`${seed} corrections`, correctionBytes)
}

/** Makes the record of an upload of that dataset. `number` distinguishes uploads. */
export function sampleUpload(receipt: Receipt, number: number): Upload {
  return {
    id: `01990000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
    datasetId: receipt.id,
    fileName: receipt.file.name,
    owner: receipt.owner,
    receivedAt: receipt.createdAt,
    durationMs: 12,
    outcome: 'new',
  }
}

/** Writes the files of a sample into a draft. */
export async function fill(draft: Draft, { files }: Sample): Promise<void> {
  for (const [file, bytes] of files) {
    const path = join(draft.dir, file)
    // Like real writers: system errors become service errors.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(throwStoreError)
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 }).catch(throwStoreError)
  }
}

/** Publishes a sample from draft to dataset, as the upload of that number. */
export async function publishSample(store: Store, wanted: Sample, number = 0): Promise<boolean> {
  await using draft = await store.draft()
  await fill(draft, wanted)
  return await store.publish(draft, wanted.receipt, sampleUpload(wanted.receipt, number))
}

/** Replaces the dataset of a sample, as the upload of that number. */
export async function replaceSample(
  store: Store,
  wanted: Sample,
  number: number,
  damaged: DatasetVersion = { id: wanted.receipt.id },
): Promise<Receipt | null> {
  await using draft = await store.draft()
  await fill(draft, wanted)
  const stored = await store.replace(draft, wanted.receipt, sampleUpload(wanted.receipt, number), damaged)
  return stored?.receipt ?? null
}

/** All bytes of a stream. */
export async function readAll(stream: ByteStream): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream))
}

/** Bytes that look random, the same for the same seed. */
function bytesOf(seed: string, count: number): Buffer {
  return createHash('shake256', { outputLength: count }).update(seed).digest()
}

function checksumsOf(bytes: Buffer): Buffer {
  const checksums = new BlockChecksums()
  checksums.update(bytes)
  return checksums.digest()
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

// Kept uploads: what the browser stores about unfinished uploads, so that they continue after a reload or a restart,
// when the same file is chosen again. Knows no element.
import type { DeclaredDialect } from '../../src/reading/reading.ts'

export interface UnfinishedUpload {
  readonly id: string
  readonly fingerprint: Fingerprint
  readonly dialect: DeclaredDialect
  /** Epoch milliseconds. */
  readonly begunAt: number
}

const storeName = 'unfinished'
/** The service forgets them sooner. */
const storedMsMax = 7 * 86_400_000

/** If nothing can be stored, an upload lasts as long as its page. */
export async function saveUpload(upload: UnfinishedUpload): Promise<void> {
  await withStore('readwrite', (store) => store.put(upload)).catch(() => {})
}

export async function forgetUpload(id: string): Promise<void> {
  await withStore('readwrite', (store) => store.delete(id)).catch(() => {})
}

export async function unfinishedUploads(): Promise<readonly UnfinishedUpload[]> {
  // Only saveUpload() writes them.
  const all = (await withStore('readonly', (store) => store.getAll()).catch(() => [])) as UnfinishedUpload[]
  const isOld = ({ begunAt }: UnfinishedUpload) => begunAt < Date.now() - storedMsMax
  for (const { id } of all.filter(isOld)) await forgetUpload(id)
  return all.filter((one) => !isOld(one))
}

async function withStore(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open('uploads', 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName, { keyPath: 'id' })
  const database = (await resultOf(opening)) as IDBDatabase // what open() resolves to
  try {
    return await resultOf(work(database.transaction(storeName, mode).objectStore(storeName)))
  } finally {
    database.close()
  }
}

function resultOf(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** How long to wait for a tab that is just closing, such as this one before it was reloaded. */
const closingMs = 2_000

/**
 * Locks an upload against other tabs until the function is called that it resolves to; null if another one holds
 * the lock until the signal is aborted. A page without TLS has no locks.
 */
export function lockUpload(id: string, signal = AbortSignal.timeout(closingMs)): Promise<(() => void) | null> {
  const { locks } = navigator as { readonly locks?: LockManager }
  if (locks === undefined) return Promise.resolve(() => {})
  return new Promise((resolve) => {
    const held = () => new Promise<void>((release) => resolve(release))
    locks.request(`upload-${id}`, { signal }, held).catch(() => resolve(null))
  })
}

/** Number of bytes compared. */
const headBytes = 65_536

export type Fingerprint = Readonly<Awaited<ReturnType<typeof fingerprintOf>>>

export async function fingerprintOf(file: File) {
  const { name, size, lastModified } = file
  return { name, size, lastModified, head: hashOf(new Uint8Array(await file.slice(0, headBytes).arrayBuffer())) }
}

export function isSameFile(a: Fingerprint, b: Fingerprint): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified && a.head === b.head
}

/** 64 bits of FNV-1a in two halves: crypto.subtle is missing if a page is served without TLS. */
export function hashOf(bytes: Uint8Array): string {
  let [low, high] = [0x811c9dc5, 0x1000193]
  for (const byte of bytes) {
    low = Math.imul(low ^ byte, 0x01000193)
    high = Math.imul(high ^ byte, 0x85ebca6b)
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

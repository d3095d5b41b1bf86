// Kept spool: the object that says all about one unfinished upload but its bytes, and the names of the objects that hold those. Sends nothing.
import assert from 'node:assert/strict'
import { isUploadId } from '../../name-rules.ts'
import type { SpoolFacts, SpoolSight, SpoolState } from '../../spool.ts'

/** Some bytes of an upload, an object each. */
export interface Chunk {
  readonly name: string
  readonly bytes: number
  /** CRC-32 of them. */
  readonly crc: number
}

/** What the object of an upload holds. */
export interface Kept extends SpoolState {
  readonly format: 1
  readonly facts: SpoolFacts
  /** Grows each time that another process takes it. */
  readonly epoch: number
  /** Random, of who took it last: with `writes`, no two bodies are the same. */
  readonly hold: string
  /** Grows with every write. */
  readonly writes: number
  /** Id of the directory whose process is at work on it; null for none. */
  readonly holder: string | null
  readonly isSealed: boolean
  /** In the order of the upload, without gaps. */
  readonly chunks: readonly Chunk[]
  /** What was reported last. */
  readonly status: unknown
}

/** What changes with a write. */
export type KeptChange = Partial<Omit<Kept, 'format' | 'facts' | 'epoch' | 'hold' | 'writes'>>

/** A status that is longer is shown without what makes it so. Bytes of JSON. */
const statusBytesMax = 65_536

export const spoolsPrefix = 'unfinished/'

export function spoolKey(id: string): string {
  return spoolsPrefix + checked(id)
}

export const allChunksPrefix = 'unfinished-bytes/'

/** Of all chunks of an upload. */
export function chunksPrefix(id: string): string {
  return `${allChunksPrefix}${checked(id)}/`
}

/** The id of the upload that a chunk is of. */
export function chunkOwner(key: string): string {
  return key.slice(allChunksPrefix.length).split('/')[0] ?? ''
}

/** Chunks of one writer never have the names of another's, whatever became of those. */
export function chunkName(offset: number, epoch: number, number: number): string {
  return `${String(offset).padStart(15, '0')}-${epoch}-${number}`
}

export function keptText(kept: Kept): Buffer {
  return Buffer.from(JSON.stringify(kept))
}

/** What `keptText` wrote; null for anything else. */
export function readKept(body: Buffer): Kept | null {
  try {
    const kept = JSON.parse(body.toString()) as Kept
    return kept.format === 1 ? kept : null
  } catch {
    return null
  }
}

/** What others see of it. @param directory Id of our own directory. */
export function sightOf(kept: Kept, etag: string, directory: string): SpoolSight {
  const { facts, holder, isSealed, status } = kept
  return {
    facts,
    state: stateOf(kept),
    version: etag,
    isHeld: holder !== null,
    wasOurs: holder === directory,
    isSealed,
    status,
  }
}

export function stateOf({ bytes, expectedBytes, isComplete, changedAt }: SpoolState): SpoolState {
  return { bytes, expectedBytes, isComplete, changedAt }
}

/** A status that is short enough to be written every few seconds. */
export function shortStatus(status: object): object {
  return JSON.stringify(status).length <= statusBytesMax ? status : { ...status, columns: null }
}

function checked(id: string): string {
  assert(isUploadId(id), `'${id}' is no id of an upload`)
  return id
}

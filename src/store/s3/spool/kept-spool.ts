// Kept spool: the object that describes one unfinished upload, without its bytes, and the names of the objects that hold those. Sends nothing.
import assert from 'node:assert/strict'
import { isUploadId } from '../../name-rules.ts'
import type { SpoolFacts, SpoolSight, SpoolState } from '../../spool.ts'

/** Some bytes of an upload, in an object of their own. */
export interface Chunk {
  readonly name: string
  readonly bytes: number
  /** CRC-32 of them. */
  readonly crc: number
}

/** Content of the object of an upload. */
export interface Kept extends SpoolState {
  readonly format: 1
  readonly facts: SpoolFacts
  /** Increases each time another process takes the upload. */
  readonly epoch: number
  /** Random, set by whoever took it last: together with `writes`, it makes every body unique. */
  readonly hold: string
  /** Increases with every write. */
  readonly writes: number
  /** Id of the directory of the process that is working on it; null for none. */
  readonly holder: string | null
  readonly isSealed: boolean
  /** In the order of the upload, without gaps. */
  readonly chunks: readonly Chunk[]
  /** The status reported last. */
  readonly status: unknown
}

/** The part that changes with a write. */
export type KeptChange = Partial<Omit<Kept, 'format' | 'facts' | 'epoch' | 'hold' | 'writes'>>

/** A longer status is shown without its long parts. Bytes of JSON. */
const statusBytesMax = 65_536

export const spoolsPrefix = 'unfinished/'

export function spoolKey(id: string): string {
  return spoolsPrefix + checked(id)
}

export const allChunksPrefix = 'unfinished-bytes/'

/** Prefix of all chunks of an upload. */
export function chunksPrefix(id: string): string {
  return `${allChunksPrefix}${checked(id)}/`
}

/** The id of the upload that a chunk belongs to. */
export function chunkOwner(key: string): string {
  return key.slice(allChunksPrefix.length).split('/')[0] ?? ''
}

/** Chunks of different writers never share a name, whatever becomes of them. */
export function chunkName(offset: number, epoch: number, number: number): string {
  return `${String(offset).padStart(15, '0')}-${epoch}-${number}`
}

export function keptText(kept: Kept): Buffer {
  return Buffer.from(JSON.stringify(kept))
}

/** Parses the result of `keptText`; null for anything else. */
export function readKept(body: Buffer): Kept | null {
  try {
    const kept = JSON.parse(body.toString()) as Kept
    return kept.format === 1 ? kept : null
  } catch {
    return null
  }
}

/** The upload as others see it. @param directory Id of our own directory. */
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

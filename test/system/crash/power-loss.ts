// Power loss: derives the states that a disk may be in after power loss from the steps done to it. Knows no datasets.
import { mkdir, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { DiskStep } from './disk-log.ts'

/** Which syncs take effect. Less than all is for controls, which the checks must find. */
export type SyncsThatCount = 'all' | 'of files only' | 'none'

/** A file or directory, independent of its names. */
class Node {
  readonly isDirectory: boolean
  /** As the running system sees it. */
  readonly entries = new Map<string, Node>()
  /** Changes that its next sync makes durable. */
  readonly pending: Change[] = []

  constructor(isDirectory: boolean) {
    this.isDirectory = isDirectory
  }
}

type Effect =
  | { readonly kind: 'bytes'; readonly node: Node; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'size'; readonly node: Node; readonly bytes: number }
  /** Names removed and added, atomically. */
  | { readonly kind: 'names'; readonly taken?: NameOf; readonly given?: NameOf }

interface NameOf {
  readonly directory: Node
  readonly name: string
  readonly node: Node
}

/** A change that power loss may undo until step `durableAt`. */
interface Change {
  readonly effect: Effect
  readonly at: number
  durableAt: number
}

/** Kinds of states: what was not yet synced is lost, kept, or partly kept. */
export const lossKinds = [
  'all lost',
  'none lost',
  'names kept',
  'prefix',
  'one lost',
  'some lost',
  'last torn',
] as const
export type LossKind = (typeof lossKinds)[number]

/** The tree of a disk after power loss: contents of files by path, null for a directory. */
export type DiskState = ReadonlyMap<string, Buffer | null>

/**
 * A disk that keeps what was synced and may lose anything else: the contents of a file until the file is synced, a name
 * until its directory is. A rename is atomic, and durable once the directory of the new name is synced. Real file
 * systems lose less, each in its own way.
 */
export class LossyDisk {
  readonly #root = new Node(true)
  readonly #changes: Change[] = []

  constructor(steps: readonly DiskStep[], counts: SyncsThatCount = 'all') {
    for (const [at, step] of steps.entries()) {
      // The index is rebuilt from receipts after power loss, so SQLite's files may be lost entirely.
      if (step.kind === 'say' || step.path.startsWith('index.sqlite')) continue
      if (step.kind === 'sync') this.#sync(step.path, at, counts)
      else this.#add(step, at)
    }
  }

  /** The disk if power is lost right after step `at`. `random` returns numbers from 0 up to 1. */
  stateAfter(at: number, kind: LossKind, random: () => number): DiskState {
    const done = this.#changes.filter((change) => change.at <= at)
    const pending = done.filter((change) => change.durableAt > at)
    const lost = new Set(lostOf(kind, pending, random))
    const lastWrite = kind === 'last torn' ? pending.findLast(({ effect }) => effect.kind === 'bytes') : undefined
    const found = new FoundDisk()
    for (const change of done) {
      if (lost.has(change)) continue
      found.apply(change === lastWrite ? torn(change.effect) : change.effect)
    }
    return found.state(this.#root)
  }

  #find(path: string): Node | undefined {
    if (path === '') return this.#root
    return path.split('/').reduce<Node | undefined>((node, name) => node?.entries.get(name), this.#root)
  }

  #sync(path: string, at: number, counts: SyncsThatCount): void {
    const node = this.#find(path)
    if (node === undefined || counts === 'none' || (node.isDirectory && counts === 'of files only')) return
    for (const change of node.pending.splice(0)) change.durableAt = at
  }

  #add(step: Exclude<DiskStep, { kind: 'sync' | 'say' }>, at: number): void {
    const node = this.#find(step.path)
    if (step.kind === 'create' || step.kind === 'mkdir') {
      // The file exists if it is opened again.
      if (node === undefined) this.#rename(at, undefined, this.#nameOf(step.path, new Node(step.kind === 'mkdir')))
      return
    }
    if (node === undefined) throw new Error(`Cannot ${step.kind} '${step.path}': it does not exist`)
    if (step.kind === 'remove') this.#rename(at, this.#nameOf(step.path, node), undefined)
    else if (step.kind === 'rename') this.#rename(at, this.#nameOf(step.path, node), this.#nameOf(step.to, node))
    else if (step.kind === 'link') this.#rename(at, undefined, this.#nameOf(step.to, node))
    else if (step.kind === 'write') {
      this.#change({ kind: 'bytes', node, offset: step.offset, data: step.data }, at, node)
    } else this.#change({ kind: 'size', node, bytes: step.bytes }, at, node)
  }

  #nameOf(path: string, node: Node): NameOf {
    const directory = this.#find(path.includes('/') ? posix.dirname(path) : '')
    if (directory === undefined) throw new Error(`Cannot find the directory of '${path}'`)
    return { directory, name: posix.basename(path), node }
  }

  #rename(at: number, taken: NameOf | undefined, given: NameOf | undefined): void {
    taken?.directory.entries.delete(taken.name)
    given?.directory.entries.set(given.name, given.node)
    const directory = (given ?? taken)?.directory
    if (directory === undefined) throw new Error('Cannot rename nothing to nothing')
    this.#change({ kind: 'names', ...(taken && { taken }), ...(given && { given }) }, at, directory)
  }

  #change(effect: Effect, at: number, wants: Node): void {
    const change = { effect, at, durableAt: Number.POSITIVE_INFINITY }
    wants.pending.push(change)
    this.#changes.push(change)
  }
}

function lostOf(kind: LossKind, pending: readonly Change[], random: () => number): readonly Change[] {
  const chosen = Math.floor(random() * pending.length)
  switch (kind) {
    case 'all lost':
      return pending
    case 'names kept':
      return pending.filter(({ effect }) => effect.kind === 'bytes')
    case 'prefix':
      return pending.slice(chosen)
    case 'one lost':
      return pending.slice(chosen, chosen + 1)
    case 'some lost':
      return pending.filter(() => random() < 0.5)
    default:
      return []
  }
}

function torn(effect: Effect): Effect {
  return effect.kind === 'bytes' ? { ...effect, data: effect.data.subarray(0, effect.data.length / 2) } : effect
}

/** The remaining files and directories, by identity. */
class FoundDisk {
  readonly #entries = new Map<Node, Map<string, Node>>()
  readonly #contents = new Map<Node, Buffer>()

  apply(effect: Effect): void {
    if (effect.kind === 'names') {
      const { taken, given } = effect
      const left = taken && this.#entriesOf(taken.directory)
      if (taken && left?.get(taken.name) === taken.node) left.delete(taken.name)
      if (given) this.#entriesOf(given.directory).set(given.name, given.node)
      return
    }
    const before = this.#contents.get(effect.node) ?? Buffer.alloc(0)
    const isBytes = effect.kind === 'bytes'
    const length = isBytes ? Math.max(before.length, effect.offset + effect.data.length) : effect.bytes
    const after = Buffer.alloc(length)
    before.copy(after)
    if (isBytes) effect.data.copy(after, effect.offset)
    this.#contents.set(effect.node, after)
  }

  state(root: Node): DiskState {
    const state = new Map<string, Buffer | null>()
    const walk = (directory: Node, prefix: string): void => {
      for (const [name, node] of this.#entriesOf(directory)) {
        state.set(prefix + name, node.isDirectory ? null : (this.#contents.get(node) ?? Buffer.alloc(0)))
        if (node.isDirectory) walk(node, `${prefix}${name}/`)
      }
    }
    walk(root, '')
    return state
  }

  #entriesOf(directory: Node): Map<string, Node> {
    const known = this.#entries.get(directory)
    if (known !== undefined) return known
    const entries = new Map<string, Node>()
    this.#entries.set(directory, entries)
    return entries
  }
}

/** Writes the state of a disk into an empty directory. */
export async function putDisk(state: DiskState, dir: string): Promise<void> {
  for (const [path, content] of state) {
    if (content === null) await mkdir(join(dir, path), { mode: 0o700 })
    else await writeFile(join(dir, path), content)
  }
}

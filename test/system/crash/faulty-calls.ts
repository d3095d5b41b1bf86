// Faulty calls: makes one file call of a process, or of its children, fail or do half of its work. Knows no caller.
import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

/** In the order of the enumeration in faulty-calls.c. */
export const callKinds = [
  ...['open', 'read', 'write', 'sync', 'close', 'rename', 'link', 'unlink', 'mkdir', 'truncate'],
] as const
export const callRoles = ['service', 'children'] as const

/** `half` does half of the work and returns that, as a call may at any time; the others fail. */
export const faults = ['EIO', 'ENOSPC', 'EINTR', 'EACCES', 'EMFILE', 'EROFS', 'half'] as const

type CallKind = (typeof callKinds)[number]

/** The faults of each kind of call. */
export function faultsOf(kind: CallKind): readonly (typeof faults)[number][] {
  if (kind === 'read') return ['EIO', 'EINTR', 'half']
  if (kind === 'write') return ['EIO', 'ENOSPC', 'EINTR', 'half']
  if (kind === 'sync' || kind === 'close' || kind === 'truncate') return ['EIO', 'ENOSPC', 'EINTR']
  return ['EIO', 'ENOSPC', 'EINTR', 'EACCES', 'EMFILE', 'EROFS']
}

export interface FaultyCall {
  readonly kind: CallKind
  readonly role: (typeof callRoles)[number]
  readonly fault: (typeof faults)[number]
  /** The first such call after arming is 1. */
  readonly at: number
}

/** What has happened since arming. */
export interface SeenCalls {
  /** Path of the faulty call, below the directory; null if it did not happen. */
  readonly path: string | null
  /**
   * Whether a file was synced again after its sync had failed. The data directory itself does not count: SQLite syncs
   * it for its own files and ignores failures; if they are missing, the index is rebuilt.
   */
  readonly isSyncedAgain: boolean
  /** Every call that happened, with every fault that it may have. */
  readonly places: readonly FaultyCall[]
}

/** The layout that faulty-calls.c shares: kind, role, at, fault, met, synced again, calls by role and kind; root; path. */
const intCount = 6 + callRoles.length * callKinds.length
const [rootBytes, pathBytes] = [512, 1_024]
const rootStart = intCount * Int32Array.BYTES_PER_ELEMENT
const pathStart = rootStart + rootBytes

let builtLibrary: string | undefined

/** Builds the library once per process. Throws if there is no C compiler. */
function library(): string {
  if (builtLibrary !== undefined) return builtLibrary
  const dir = mkdtempSync(join(tmpdir(), 'csv-upload-faulty-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  // Children may run as other users.
  chmodSync(dir, 0o755)
  const path = join(dir, 'faulty-calls.so')
  const source = join(import.meta.dirname, 'faulty-calls.c')
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', path, source, '-ldl'], { stdio: 'ignore' })
  builtLibrary = path
  return path
}

/** Makes calls below one directory fail. */
export class FaultyCalls implements Disposable {
  readonly #sharedDir: string
  readonly #library: string
  readonly #shared: number
  readonly #root: string

  /** @param root Absolute path; calls below it count. Throws if the library cannot be built (on Linux, with gcc). */
  constructor(root: string) {
    this.#root = root
    this.#library = library()
    this.#sharedDir = mkdtempSync(join(tmpdir(), 'csv-upload-faulty-'))
    this.#shared = openSync(join(this.#sharedDir, 'shared'), 'w+')
    const empty = Buffer.alloc(pathStart + pathBytes)
    empty.writeInt32LE(-1)
    empty.write(root, rootStart)
    writeSync(this.#shared, empty, 0, empty.length, 0)
  }

  /** Environment of the process whose calls are to fail. */
  get environment(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, FAULTY_CALLS: join(this.#sharedDir, 'shared') }
  }

  /** From now on, counts calls; the given call, if any, fails. */
  arm(call?: FaultyCall): void {
    this.disarm()
    writeSync(this.#shared, Buffer.alloc(pathBytes), 0, pathBytes, pathStart)
    const code = call && (call.fault === 'half' ? -1 : constants.errno[call.fault])
    const ints = new Int32Array(intCount)
    if (call !== undefined) ints.set([callRoles.indexOf(call.role), call.at, code ?? 0], 1)
    ints[0] = -1
    writeSync(this.#shared, ints, 0, ints.byteLength, 0)
    // Written last, so that no call fails before all of it is set.
    if (call !== undefined) this.#write(callKinds.indexOf(call.kind))
  }

  /** From now on, nothing fails. */
  disarm(): SeenCalls {
    const found = Buffer.alloc(pathStart + pathBytes)
    readSync(this.#shared, found, 0, found.length, 0)
    this.#write(-1)
    const ints = new Int32Array(found.buffer, found.byteOffset, intCount)
    const path = found
      .toString('utf8', pathStart)
      .replace(/\0.*$/s, '')
      .slice(this.#root.length + 1)
    return {
      path: ints[4] === 0 ? null : path,
      isSyncedAgain: ints[5] !== 0 && path !== '',
      places: callRoles.flatMap((role, i) =>
        callKinds.flatMap((kind, j) => placesOf(role, kind, ints[6 + i * callKinds.length + j] ?? 0)),
      ),
    }
  }

  #write(kind: number): void {
    writeSync(this.#shared, Int32Array.of(kind), 0, Int32Array.BYTES_PER_ELEMENT, 0)
  }

  [Symbol.dispose](): void {
    closeSync(this.#shared)
    rmSync(this.#sharedDir, { recursive: true })
  }
}

function placesOf(role: FaultyCall['role'], kind: CallKind, calls: number): readonly FaultyCall[] {
  const numbers = Array.from({ length: calls }, (_, index) => index + 1)
  return numbers.flatMap((at) => faultsOf(kind).map((fault) => ({ kind, role, fault, at })))
}

/** Why calls cannot be made to fail here, or null. */
export function whyNoFaultyCalls(): string | null {
  if (process.platform !== 'linux') return 'calls are made to fail on Linux alone'
  try {
    library()
    return null
  } catch {
    return 'there is no C compiler for the library that lets calls fail'
  }
}

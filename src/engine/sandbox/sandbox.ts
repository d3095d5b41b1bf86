// Sandbox: starts programs that handle untrusted input, as confined as the system allows, each in its own work directory.
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Confinement,
  childUserId,
  findConfinement,
  limitsOnly,
  type Means,
  spawnUser,
  taskCountMax,
} from './confinement.ts'
import { type Child, goneChild, type Program, startProcess } from './spawn-child.ts'
import { WorkDir, type Writable } from './work-dir.ts'

/** What a program needs. No program has a network, an environment, or other files than its own. */
export interface SandboxedProgram extends Pick<Program, 'path' | 'arguments' | 'heapMegabytes' | 'limits'> {
  /** Where it may write. */
  readonly writes: Writable
}

/** A started child. If it could not be started, it may have no work directory. */
export interface SandboxedChild {
  readonly child: Child
  /** Where it finds its files. The code that started the child removes it. */
  readonly workDir: WorkDir | null
}

export class Sandbox {
  readonly #workDirs: string
  readonly #confinement: Confinement
  #childCount = 0

  private constructor(workDirs: string, confinement: Confinement) {
    this.#workDirs = workDirs
    this.#confinement = confinement
  }

  /**
   * Finds out how children can be confined here.
   *
   * @param dataDir What children are kept from. Its directory `work` is emptied and gets the work directories, so that they
   *   are on the file system of the datasets and can hard-link files.
   */
  static async open(dataDir: string, means?: Means): Promise<Sandbox> {
    const workDirs = join(dataDir, 'work')
    // A full disk may have no room to make it anew.
    const isKept = lstatSync(workDirs, { throwIfNoEntry: false })?.isDirectory()
    const old = isKept ? readdirSync(workDirs).map((name) => join(workDirs, name)) : [workDirs]
    for (const path of old) rmSync(path, { recursive: true, force: true })
    if (!isKept) mkdirSync(workDirs, { recursive: true, mode: 0o700 })
    return new Sandbox(workDirs, await findConfinement(dataDir, workDirs, means))
  }

  /** What it guarantees, for the log. */
  get holds(): string {
    return this.#confinement.holds
  }

  /** False if there is nothing but limits. */
  get isConfined(): boolean {
    return this.#confinement !== limitsOnly
  }

  /** True if children have no network and see nothing but their job. */
  get isolates(): boolean {
    return this.#confinement.isolates
  }

  start({ writes, ...program }: SandboxedProgram): SandboxedChild {
    const number = this.#childCount++
    const userId = childUserId(number)
    const { hasOwnUser } = this.#confinement
    let workDir: WorkDir
    try {
      // It may have been removed. Its parent is the data directory, which the store creates.
      if (!existsSync(this.#workDirs)) mkdirSync(this.#workDirs, { mode: 0o700 })
      workDir = new WorkDir(join(this.#workDirs, String(number)), hasOwnUser ? userId : null, writes)
    } catch (error) {
      return { child: goneChild(error), workDir: null }
    }
    const child = startProcess({
      ...program,
      limits: { ...program.limits, ...(hasOwnUser && { taskCountMax }) },
      wrapper: this.#confinement.wrapper(userId),
      cwd: workDir.dir,
      ...spawnUser(this.#confinement, userId),
    })
    return { child, workDir }
  }
}

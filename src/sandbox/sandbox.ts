// Sandbox: starts programs that handle what strangers send, confined as far as the system can, each with a work directory of its own.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { childUserId, taskCountMax } from './child-users.ts'
import { type Confinement, findConfinement, limitsOnly, type Means, spawnUser } from './confinement.ts'
import { type Child, goneChild, type Program, startProcess } from './spawn-child.ts'
import { WorkDir, type Writable } from './work-dir.ts'

/** What a program needs. None has a network, an environment, or files but its own. */
export interface SandboxedProgram extends Pick<Program, 'path' | 'arguments' | 'heapMegabytes' | 'limits'> {
  /** Where it writes. */
  readonly writes: Writable
}

/** A child that has begun; where it could not be started, there may be no work directory. */
export interface SandboxedChild {
  readonly child: Child
  /** Where it finds its files. It is whoever started the child that removes it. */
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
   * Finds out what works here.
   *
   * @param dataDir What children are kept from. Its directory `work` is emptied; work directories lie there, so that they
   *   are on the file system of the datasets and have files as hard links.
   */
  static async open(dataDir: string, means?: Means): Promise<Sandbox> {
    const workDirs = join(dataDir, 'work')
    rmSync(workDirs, { recursive: true, force: true })
    mkdirSync(workDirs, { recursive: true, mode: 0o700 })
    return new Sandbox(workDirs, await findConfinement(dataDir, workDirs, means))
  }

  /** What it holds, for the log. */
  get holds(): string {
    return this.#confinement.holds
  }

  /** Whether the system keeps children apart; else it is limits alone that hold them. */
  get isConfined(): boolean {
    return this.#confinement !== limitsOnly
  }

  start({ writes, ...program }: SandboxedProgram): SandboxedChild {
    const number = this.#childCount++
    const userId = childUserId(number)
    const { hasOwnUser } = this.#confinement
    let workDir: WorkDir
    try {
      // Somebody may have removed it. Its parent is the data directory, which is not ours to make.
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

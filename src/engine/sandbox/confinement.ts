// Confinement: the ways to confine a child on this system, and which one works. Knows nothing of jobs.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findCommand } from './spawn-child.ts'
import { outputPath, WorkDir } from './work-dir.ts'

/** A way to start a child in its work directory. */
export interface Confinement {
  /** What it guarantees, for the log. */
  readonly holds: string
  /** Whether the child runs as a user of its own, who owns nothing. */
  readonly hasOwnUser: boolean
  /** Whether the child has no network and sees nothing but its job. */
  readonly isolates: boolean
  /** The command to put before the child's, which runs it as that user; empty if spawning the child is enough. */
  wrapper(userId: number): readonly string[]
}

/** What this system offers. */
export interface Means {
  readonly isRoot: boolean
  /** The path of a command, if there is one. */
  readonly find: (name: string) => string | undefined
}

/** The last resort, which works everywhere. */
export const limitsOnly: Confinement = { holds: 'limits only', hasOwnUser: false, isolates: false, wrapper: () => [] }

/**
 * Gives the child its own view of the file system. Every mount becomes read-only, except where the child writes; a mount
 * that cannot be remounted stays as it is. The data directory disappears, so do the sockets of system services, and /sys,
 * whose mounts are often most of all: each call of mount takes 1 to 2 ms. The child sees its work directory at a neutral
 * place, so that SQL that asks for paths learns none of ours; without such a place it keeps its own path. mountinfo
 * escapes spaces and the like in octal, which printf decodes; `-c` keeps mount from resolving "." by a path that leads
 * elsewhere by then.
 */
const viewScript = `
dir=$(pwd -P) && [ -n "$dir" ] && mount -c --bind out "$dir/out" || exit 1
[ ! -d /sys ] || mount -t tmpfs -o ro none /sys || exit 1
while read -r _ _ _ _ place _; do
  case $place in /sys | /sys/*) continue ;; esac
  place=$(printf %b "$place")
  [ "$place" = "$dir/out" ] || mount -o remount,bind,ro "$place" 2>/dev/null
done </proc/self/mountinfo
[ -z "$2" ] || mount -t tmpfs -o ro none "$2" || exit 1
if [ -n "$3" ]; then
  mount -t tmpfs -o ro none "$1" && mount -c --rbind . "$3" && cd "$3" || exit 1
else
  mount -t tmpfs none "$1" && mkdir -p "$dir" && mount -c --rbind . "$dir" && mount -o remount,bind,ro "$1" && cd "$dir" || exit 1
fi
shift 3 && exec "$@"`

const triedMsMax = 10_000

/** Reads the directory of the programs, which another user may not be able to, and writes where a child writes. */
const triedProgram = `require('node:fs').readdirSync(process.argv[1]); require('node:fs').appendFileSync('${outputPath}', '')`

/**
 * Finds the strongest way that works here by trying them in turn.
 *
 * @param workDirs Directory for work directories.
 */
export async function findConfinement(
  dataDir: string,
  workDirs: string,
  means: Means = { isRoot: process.getuid?.() === 0, find: findCommand },
): Promise<Confinement> {
  if (process.platform !== 'linux') return limitsOnly
  for (const way of ways(dataDir, means)) if (await works(way, join(workDirs, 'trial'))) return way
  return limitsOnly
}

async function works(way: Confinement, dir: string): Promise<boolean> {
  const userId = childUserId(0)
  const program = ['--input-type=commonjs', '--eval', triedProgram, import.meta.dirname]
  const [command, ...rest] = [...way.wrapper(userId), process.execPath, ...program]
  const user = spawnUser(way, userId).userId
  try {
    new WorkDir(dir, way.hasOwnUser ? userId : null, 'one file')
    const as = user === undefined ? {} : { uid: user, gid: user }
    await promisify(execFile)(command!, rest, { timeout: triedMsMax, env: {}, cwd: dir, ...as })
    return true
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The user to spawn a child as. With a wrapper, it is the wrapper that changes the user, and needs our rights until then. */
export function spawnUser(way: Confinement, userId: number): { readonly userId?: number } {
  return way.hasOwnUser && way.wrapper(userId).length === 0 ? { userId } : {}
}

/** All ways, the strongest first. */
function ways(dataDir: string, { isRoot, find }: Means): readonly Confinement[] {
  const withOwnUser = isRoot ? [...wrapped(dataDir, find, 'root to own'), spawned] : []
  return [...withOwnUser, ...wrapped(dataDir, find, isRoot ? 'root' : 'user')]
}

/** Spawned as another user, and nothing else. */
const spawned: Confinement = { holds: 'a user of its own', hasOwnUser: true, isolates: false, wrapper: () => [] }

function wrapped(dataDir: string, find: Means['find'], who: 'root to own' | 'root' | 'user'): readonly Confinement[] {
  const [unshare, setpriv, shell] = ['unshare', 'setpriv', 'sh'].map(find)
  if (setpriv === undefined) return []
  const hasOwnUser = who === 'root to own'
  const own = (userId: number) => (hasOwnUser ? [`--reuid=${userId}`, `--regid=${userId}`, '--clear-groups'] : [])
  // The child dies with the service, even if it hangs.
  const leave = [setpriv, '--pdeathsig=KILL', '--no-new-privs', '--inh-caps=-all']
  // In a user namespace the child would be root there. Outside of one, only root has a bounding set to clear.
  const leaveAll = [...leave, '--bounding-set=-all']
  const way = (holds: string, before: readonly string[], leaving: readonly string[]): Confinement => ({
    holds: `${holds}${hasOwnUser ? ', a user of its own' : ''}`,
    hasOwnUser,
    isolates: holds.includes('nothing but its job'),
    wrapper: (userId) => [...before, ...leaving, ...own(userId)],
  })
  const withoutPrivileges = way('no privileges', [], who === 'user' ? leave : leaveAll)
  if (unshare === undefined || shell === undefined) return [withoutPrivileges]
  const spaces = [unshare, ...(who === 'user' ? ['--user', '--map-root-user'] : []), '--net', '--ipc']
  const view = [shell, '-c', viewScript, 'sh', dataDir, hideableSockets(dataDir), neutralPlace()]
  return [
    way('no network, no privileges, nothing but its job', [...spaces, '--mount', '--', ...view], leaveAll),
    way('no network, no privileges', [...spaces, '--'], leaveAll),
    withoutPrivileges,
  ]
}

const programPaths = [process.execPath, import.meta.dirname]

/** The directory with the sockets of system services; empty if there is none, or if our own files lie there. */
function hideableSockets(dataDir: string): string {
  const isNeeded = [...programPaths, dataDir].some((path) => path.startsWith('/run/'))
  return existsSync('/run') && !isNeeded ? '/run' : ''
}

/** A system directory that holds nothing a child needs; empty if there is none. */
function neutralPlace(): string {
  const needed = programPaths.map((path) => `${dirname(path)}/`)
  const isFree = (place: string) => existsSync(place) && !needed.some((path) => path.startsWith(`${place}/`))
  return ['/mnt', '/media', '/srv'].find(isFree) ?? ''
}

/**
 * systemd leaves 60578 to 61183 unassigned; 65534 would be shared with other services. Each child gets its own id, so that
 * no child can signal another, and the next child gets the next id, so that it never meets what a former child left running.
 */
const userIdFirst = 60_578
const userIdCount = 606

/**
 * Services on one machine, also in containers, start at different ids: otherwise their children would share one limit of
 * tasks, and a Node process that is refused a thread at startup waits for it forever.
 */
const firstNumber = randomInt(userIdCount)

/** Most processes and threads of a child with a user of its own; the system counts them per user. */
export const taskCountMax = 64

/** The user id of a child, by its number. */
export function childUserId(childNumber: number): number {
  return userIdFirst + ((firstNumber + childNumber) % userIdCount)
}

// Confinement: the ways in which the system can keep a child apart, and which of them works here. Knows nothing of jobs.
import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { childUserId } from './child-users.ts'
import { findCommand } from './spawn-child.ts'
import { outputPath, WorkDir } from './work-dir.ts'

/** A way to start a child whose working directory is its work directory. */
export interface Confinement {
  /** What it holds, for the log. */
  readonly holds: string
  /** The child runs as a user of its own, who has nothing and is nobody. */
  readonly hasOwnUser: boolean
  /** A command in front of the child's, which ends in running it, as that user; empty where spawning it is enough. */
  wrapper(userId: number): readonly string[]
}

/** What there is to confine children with. */
export interface Means {
  readonly isRoot: boolean
  /** Where a command is, or undefined where there is none. */
  readonly find: (name: string) => string | undefined
}

/** The last way, which works anywhere. */
export const limitsOnly: Confinement = { holds: 'limits only', hasOwnUser: false, wrapper: () => [] }

/**
 * In a view of its own, everything that is mounted becomes read-only (a mount that withstands stays as it was) but for the
 * place where a child writes; the data directory vanishes, and so do the sockets of the system's services. The child sees
 * its work directory at a neutral place, so that SQL that asks for paths learns none of ours, or, where there is no such
 * place, at its own path. mountinfo writes spaces and the like as octal escapes, which printf turns back; `-c` keeps mount
 * from looking for "." by a name that leads elsewhere by then. Each call of mount takes 1 to 2 ms.
 */
const viewScript = `
dir=$(pwd -P) && [ -n "$dir" ] && mount -c --bind out "$dir/out" || exit 1
while read -r _ _ _ _ place _; do
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

/** Looks at where a child's program lies, which another user may be unable to, and writes where a child may. */
const triedProgram = `require('node:fs').readdirSync(process.argv[1]); require('node:fs').appendFileSync('${outputPath}', '')`

/**
 * The strongest way that works here to keep children from a data directory, found by trying.
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
    new WorkDir(dir, way.hasOwnUser ? userId : null, 'two files')
    const as = user === undefined ? {} : { uid: user, gid: user }
    await promisify(execFile)(command!, rest, { timeout: triedMsMax, env: {}, cwd: dir, ...as })
    return true
  } catch {
    return false
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The user to spawn a child as: where there is a wrapper, it changes the user, and needs to be who we are before that. */
export function spawnUser(way: Confinement, userId: number): { readonly userId?: number } {
  return way.hasOwnUser && way.wrapper(userId).length === 0 ? { userId } : {}
}

/** The ways there may be, the strongest first. */
function ways(dataDir: string, { isRoot, find }: Means): readonly Confinement[] {
  const withOwnUser = isRoot ? [...wrapped(dataDir, find, 'root to own'), spawned] : []
  return [...withOwnUser, ...wrapped(dataDir, find, isRoot ? 'root' : 'user')]
}

/** The system's own change of user and nothing else. */
const spawned: Confinement = { holds: 'a user of its own', hasOwnUser: true, wrapper: () => [] }

function wrapped(dataDir: string, find: Means['find'], who: 'root to own' | 'root' | 'user'): readonly Confinement[] {
  const [unshare, setpriv, shell] = ['unshare', 'setpriv', 'sh'].map(find)
  if (setpriv === undefined) return []
  const hasOwnUser = who === 'root to own'
  const own = (userId: number) => (hasOwnUser ? [`--reuid=${userId}`, `--regid=${userId}`, '--clear-groups'] : [])
  // It dies with us also where it hangs and hears of nothing, even before its program has begun.
  const leave = [setpriv, '--pdeathsig=KILL', '--no-new-privs', '--inh-caps=-all']
  // In a space of users of its own it would be root there; outside of one, nobody but root has a set to lower.
  const leaveAll = [...leave, '--bounding-set=-all']
  const way = (holds: string, before: readonly string[], leaving: readonly string[]): Confinement => ({
    holds: `${holds}${hasOwnUser ? ', a user of its own' : ''}`,
    hasOwnUser,
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

/** Where the sockets of the system's services are; empty where our own files lie there too, or there is no such place. */
function hideableSockets(dataDir: string): string {
  const isNeeded = [...programPaths, dataDir].some((path) => path.startsWith('/run/'))
  return existsSync('/run') && !isNeeded ? '/run' : ''
}

/** An empty directory of the system's, below which no program lies that a child needs; empty where there is none. */
function neutralPlace(): string {
  const needed = programPaths.map((path) => `${dirname(path)}/`)
  const isFree = (place: string) => existsSync(place) && !needed.some((path) => path.startsWith(`${place}/`))
  return ['/mnt', '/media', '/srv'].find(isFree) ?? ''
}

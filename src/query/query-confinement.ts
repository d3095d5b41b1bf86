// Query confinement: the ways in which the system can keep a query child apart, the strongest first. Knows nothing of SQL.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { taskCountMax } from '../sandbox/child-users.ts'
import { findCommand } from '../sandbox/spawn-child.ts'

/** A way to start a child. Which of them work here shows when a child is started. */
export interface Confinement {
  /** What it holds, for the log. */
  readonly holds: string
  /** A command in front of the child's, which ends in running it. */
  readonly wrapper: readonly string[]
  /** The child runs as a user of its own, who has nothing and is nobody. */
  readonly hasOwnUser: boolean
}

/** The ways there are on this system for a child of that user, the strongest first; the last one always works. */
export function confinements(userId: number, isRoot = process.getuid?.() === 0): readonly Confinement[] {
  const nothing: Confinement = { holds: 'limits only', wrapper: [], hasOwnUser: false }
  if (process.platform !== 'linux') return [nothing]
  const [unshare, setpriv, mount, prlimit] = ['unshare', 'setpriv', 'mount', 'prlimit'].map(findCommand)
  const place = neutralPlace()
  const found: Confinement[] = []
  if (unshare !== undefined && setpriv !== undefined && mount !== undefined && place !== undefined) {
    // Where SQL asks for the paths of its files, it is told this neutral place, at which only the child sees its directory.
    const move = [findCommand('sh') ?? 'sh', '-c', `${mount} --bind . "$0" && cd "$0" && exec "$@"`, place]
    const tasks = isRoot && prlimit !== undefined ? [prlimit, `--nproc=${taskCountMax}`] : []
    const user = isRoot ? [`--reuid=${userId}`, `--regid=${userId}`, '--clear-groups'] : []
    // It dies with us also where it hangs and hears of nothing, even before its program has begun.
    const leave = [setpriv, '--pdeathsig=KILL', ...user, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
    const spaces = ['--net', '--ipc', '--mount', ...(isRoot ? [] : ['--user', '--map-root-user'])]
    found.push({
      holds: `no network, no path of ours, no privileges${isRoot ? ', a user of its own' : ''}`,
      wrapper: [...tasks, unshare, ...spaces, '--', ...move, ...leave],
      hasOwnUser: isRoot,
    })
  }
  if (isRoot) found.push({ holds: 'a user of its own', wrapper: [], hasOwnUser: true })
  return [...found, nothing]
}

/** An empty directory of the system's, below which nothing lies that a child needs. */
function neutralPlace(): string | undefined {
  const needed = [process.execPath, import.meta.dirname].map((path) => `${dirname(path)}/`)
  return ['/mnt', '/media', '/srv'].find(
    (place) => existsSync(place) && !needed.some((path) => path.startsWith(`${place}/`)),
  )
}

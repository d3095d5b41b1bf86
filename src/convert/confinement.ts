// Confinement: what the system keeps from a converter child. Found out once, by trying. Knows nothing of jobs.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { findCommand } from '../duckdb/child-process.ts'

/** A way to start a child that works here. */
export interface Confinement {
  /** What it holds, for the log. */
  readonly holds: string
  /** A command in front of the child's, which ends in running it; empty where nothing can be held. */
  readonly wrapper: readonly string[]
}

/** What a child sees of the data directory. Absolute paths. */
export interface Places {
  /** The one directory in which it may write. */
  readonly writable: string
  /** A directory around it in which there is nothing else for it; null where all else is to be read. */
  readonly hidden: string | null
}

export const unconfined: Confinement = { holds: 'limits only', wrapper: [] }

/**
 * In a view of its own, everything that is mounted becomes read-only (a mount that withstands stays as it was), the sockets
 * of the system's services vanish, and only then is one directory writable again. mountinfo writes spaces and the like as
 * octal escapes, which printf turns back; `-c` keeps mount from looking for "." by a name that leads elsewhere by then.
 */
const viewScript = `
cd "$1" || exit 1
while read -r _ _ _ _ place _; do mount -o remount,bind,ro "$(printf %b "$place")" 2>/dev/null; done </proc/self/mountinfo
[ -z "$2" ] || { mount -t tmpfs none "$2" && mkdir -p "$1"; } || exit 1
mount -c --bind . "$1" && mount -o remount,bind,rw "$1" || exit 1
[ -z "$2" ] || mount -o remount,bind,ro "$2" || exit 1
[ -z "$3" ] || mount -t tmpfs -o ro none "$3" || exit 1
cd / && shift 3 && exec "$@"`

const triedMsMax = 10_000

/** The strongest way that works here for children with these places; the last one always does. */
export async function findConfinement(places: Places, isRoot = process.getuid?.() === 0): Promise<Confinement> {
  for (const way of ways(places, isRoot)) {
    const [command, ...rest] = [...way.wrapper, process.execPath, '--version']
    const works = await promisify(execFile)(command!, rest, { timeout: triedMsMax, env: {} }).then(
      () => true,
      () => false,
    )
    if (works) return way
  }
  return unconfined
}

/** The ways there may be, the strongest first. */
function ways({ writable, hidden }: Places, isRoot: boolean): readonly Confinement[] {
  const [unshare, setpriv, shell] = ['unshare', 'setpriv', 'sh'].map(findCommand)
  if (process.platform !== 'linux' || setpriv === undefined) return []
  const leave = [setpriv, '--no-new-privs', '--inh-caps=-all', ...(isRoot ? ['--bounding-set=-all'] : [])]
  const withoutPrivileges = { holds: 'no privileges', wrapper: leave }
  if (unshare === undefined || shell === undefined) return [withoutPrivileges]
  const user = isRoot ? [] : ['--user', '--map-root-user']
  // In a space of users of its own it would be root there.
  const leaveSpaces = isRoot ? leave : [...leave, '--bounding-set=-all']
  const sockets = needsRun([process.execPath, import.meta.dirname, writable]) ? '' : '/run'
  const view = [shell, '-c', viewScript, 'sh', writable, hidden ?? '', sockets]
  return [
    {
      holds: `no network, no privileges, nothing writable but drafts${hidden === null ? '' : ', no datasets'}`,
      wrapper: [unshare, ...user, '--net', '--ipc', '--mount', '--', ...view, ...leaveSpaces],
    },
    { holds: 'no network, no privileges', wrapper: [unshare, ...user, '--net', '--ipc', '--', ...leaveSpaces] },
    withoutPrivileges,
  ]
}

/** Where our own files lie below /run, or there is none, nothing can be hidden there. */
function needsRun(needed: readonly string[]): boolean {
  return !existsSync('/run') || needed.some((path) => path.startsWith('/run/'))
}

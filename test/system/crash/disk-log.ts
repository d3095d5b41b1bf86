// Disk log: reads what a process did to the files below a directory from a trace of system calls. Knows no datasets.

/** One step, in order. Paths are relative to the directory; the directory itself is ''. */
export type DiskStep =
  | { readonly kind: 'create'; readonly path: string }
  | { readonly kind: 'mkdir'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly bytes: number }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'sync'; readonly path: string }
  /** A line on standard output. */
  | { readonly kind: 'say'; readonly line: string }

/** The calls to trace. Names that some processors lack are marked with a question mark. */
const traced = [
  'openat,?open,?creat,close,lseek,dup,?dup2,dup3,fcntl',
  'write,pwrite64,writev,?pwritev,?pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile',
  'fsync,fdatasync,?sync_file_range,?syncfs',
  '?rename,?renameat,renameat2,?mkdir,mkdirat,?unlink,unlinkat,?rmdir,?link,linkat,?symlink,symlinkat',
].join(',')

/** The strace command that traces a program into a file, in full. */
export function underTrace(tracePath: string): readonly string[] {
  return ['strace', '-f', '-qq', '-y', '-xx', '-s', '100000000', '-o', tracePath, '-e', `trace=${traced}`]
}

/** Calls that change a file in ways that this log does not support: they are errors, not ignored. */
const unfollowed = new Set(
  'writev pwritev pwritev2 truncate fallocate symlink symlinkat sync_file_range syncfs creat'.split(' '),
)

interface Call {
  readonly name: string
  readonly args: readonly string[]
  readonly result: number
}

/** @throws {Error} if the trace has an unsupported call on a file below `dir`. */
export function readDiskLog(trace: string, dir: string): DiskStep[] {
  const steps: DiskStep[] = []
  /** Offset of the next `write`, by path: no file is opened for writing twice at once. */
  const offsets = new Map<string, number>()
  for (const call of callsOf(trace)) {
    if (call.result < 0) continue
    const paths = pathsOf(call).flatMap((path) => below(path, dir) ?? [])
    if (call.name === 'write' && call.args[0]?.startsWith('1<')) {
      steps.push(...said(call))
      continue
    }
    const [path, to] = paths
    if (path === undefined) continue
    if (unfollowed.has(call.name)) throw new Error(`Cannot follow ${call.name} on '${path}'`)
    if (call.name === 'copy_file_range' || call.name === 'sendfile') steps.push(copied(call, paths, steps, offsets))
    else steps.push(...stepsOf(call, path, to, offsets))
  }
  return steps
}

function stepsOf(call: Call, path: string, to: string | undefined, offsets: Map<string, number>): readonly DiskStep[] {
  const { name, args, result } = call
  switch (name) {
    case 'open':
    case 'openat': {
      if (!args.some((arg) => /O_WRONLY|O_RDWR/.test(arg))) return []
      const isThere = offsets.has(path) && !args.some((arg) => /O_TRUNC|O_EXCL/.test(arg))
      offsets.set(path, 0)
      return !isThere && args.some((arg) => arg.includes('O_CREAT')) ? [{ kind: 'create', path }] : []
    }
    case 'lseek':
      offsets.set(path, result)
      return []
    case 'write': {
      const offset = offsets.get(path) ?? 0
      offsets.set(path, offset + result)
      return [{ kind: 'write', path, offset, data: bytesOf(args[1]!).subarray(0, result) }]
    }
    case 'pwrite64':
      return [{ kind: 'write', path, offset: Number(args[3]), data: bytesOf(args[1]!).subarray(0, result) }]
    case 'ftruncate':
      return [{ kind: 'truncate', path, bytes: Number(args[1]) }]
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', path }]
    case 'mkdir':
    case 'mkdirat':
      return [{ kind: 'mkdir', path }]
    case 'unlink':
    case 'unlinkat':
    case 'rmdir':
      return [{ kind: 'remove', path }]
    case 'rename':
    case 'renameat':
    case 'renameat2':
      if (to === undefined) throw new Error(`Cannot follow ${name} of '${path}' out of the directory`)
      return [{ kind: 'rename', path, to }]
    case 'link':
    case 'linkat':
      return to === undefined ? [] : [{ kind: 'link', path, to }]
    default:
      return []
  }
}

/** The bytes that a copy from file to file wrote, taken from earlier writes to the source. */
function copied(
  { name, result }: Call,
  paths: readonly string[],
  steps: readonly DiskStep[],
  offsets: Map<string, number>,
): DiskStep {
  const [from, path] = name === 'sendfile' ? paths.toReversed() : paths
  if (from === undefined || path === undefined) throw new Error(`Cannot follow ${name} of '${paths}'`)
  // Copies begin at the start and are complete, so the offsets in both files are equal.
  const offset = offsets.get(path) ?? 0
  offsets.set(path, offset + result)
  return { kind: 'write', path, offset, data: contentOf(from, steps).subarray(offset, offset + result) }
}

function contentOf(path: string, steps: readonly DiskStep[]): Buffer {
  let content = Buffer.alloc(0)
  for (const step of steps) {
    if (!('path' in step) || step.path !== path) continue
    if (step.kind === 'create') content = Buffer.alloc(0)
    else if (step.kind === 'truncate') content = Buffer.concat([content], step.bytes)
    else if (step.kind === 'write') {
      const grown = Buffer.concat([content], Math.max(content.length, step.offset + step.data.length))
      step.data.copy(grown, step.offset)
      content = grown
    }
  }
  return content
}

function said({ args }: Call): readonly DiskStep[] {
  const lines = bytesOf(args[1]!).toString().split('\n').slice(0, -1)
  return lines.map((line) => ({ kind: 'say', line }))
}

/** Complete calls in the order in which they ended: by then, their effects have happened. */
function* callsOf(trace: string): Generator<Call> {
  const begunByThread = new Map<string, string>()
  for (const line of trace.split('\n')) {
    const match = /^(\d+) +(.*)$/.exec(line)
    if (match === null) continue
    const [, thread, text] = match as unknown as [string, string, string]
    const begun = /^(.*?) <unfinished \.\.\.>$/.exec(text)
    if (begun !== null) {
      begunByThread.set(thread, begun[1]!)
      continue
    }
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)
    const whole = rest === null ? text : `${begunByThread.get(thread) ?? ''}${rest[1]}`
    const call = /^(\w+)\((.*)\) += (-?\d+)/.exec(whole)
    if (call !== null) yield { name: call[1]!, args: call[2]!.split(', '), result: Number(call[3]) }
  }
}

/** The paths of a call. In `*at` calls, a relative path is below the directory of the argument before it. */
function pathsOf({ name, args }: Call): readonly string[] {
  const isAt = /at2?$/.test(name)
  return args.flatMap((arg, i) => {
    const path = pathOf(arg)
    if (path === null || (isAt && !arg.startsWith('"'))) return []
    if (!isAt || path.startsWith('/')) return path
    const directory = /^\w+<(.*)>$/.exec(args[i - 1] ?? '')?.[1]
    return directory === undefined ? path : `${unescaped(directory)}/${path}`
  })
}

/** The path in an argument: `"…"`, or a descriptor `5<…>`. */
function pathOf(arg: string): string | null {
  const text = /^"(.*)"(?:\.\.\.)?$/.exec(arg)?.[1] ?? /^\d+<(.*)>$/.exec(arg)?.[1]
  return text === undefined ? null : unescaped(text).toString()
}

function bytesOf(arg: string): Buffer {
  return unescaped(arg.slice(1, -1))
}

/** Decodes a text in which strace writes every byte as `\x61`. */
function unescaped(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}

function below(path: string, dir: string): string | null {
  if (path === dir) return ''
  return path.startsWith(`${dir}/`) ? path.slice(dir.length + 1) : null
}

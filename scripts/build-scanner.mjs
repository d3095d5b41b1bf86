// Build scanner: builds build/scanner.wasm and build/columns.wasm from wasm/ if their sources have changed. Needs the
// installed packages.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const sharedDir = join(root, 'wasm', 'shared')

/** Memory in pages of 64 KiB. The memory of a column writer is bounded, see src/columns/memory/columns-memory.ts. */
const modules = [
  { name: 'scanner', memory: ['--initialMemory', '2'] },
  { name: 'columns', memory: ['--initialMemory', '5', '--maximumMemory', '16384'] },
]

// No runtime: the modules allocate nothing; wasm/*/memory.ts lays out their memory.
const commonFlags = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']

/** SHA-256 of everything from which a module is built. */
function sourcesHash(sourceDir, flags) {
  const hash = createHash('sha256')
  const compiler = createRequire(import.meta.url)('assemblyscript/package.json')
  hash.update(JSON.stringify([compiler.version, flags]))
  const names = [sourceDir, sharedDir]
    .flatMap((dir) => readdirSync(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(sourceDir, join(entry.parentPath, entry.name)))
  for (const name of names.sort()) hash.update(`\0${name}\0`).update(readFileSync(join(sourceDir, name)))
  return hash.digest('hex')
}

function isBuilt(targetPath, hash) {
  try {
    return readFileSync(`${targetPath}.sources`, 'utf8') === hash && readFileSync(targetPath).length > 0
  } catch {
    return false
  }
}

function replace(path, bytes) {
  const freshPath = `${path}.${process.pid}`
  writeFileSync(freshPath, bytes)
  renameSync(freshPath, path)
}

async function compile(name, sourceDir, flags) {
  const { default: asc } = await import('assemblyscript/asc')
  let wasm = null
  const { error, stderr } = await asc.main([`${name}.ts`, ...flags, '--outFile', `${name}.wasm`], {
    readFile: (path, baseDir) => {
      try {
        return readFileSync(join(sourceDir, baseDir, path), 'utf8')
      } catch {
        return null
      }
    },
    writeFile: (_path, contents) => {
      wasm = contents
    },
    listFiles: () => [],
  })
  if (error || wasm === null) throw new Error(`Cannot build ${name}.wasm: ${stderr.toString() || error}`)
  return wasm
}

for (const { name, memory } of modules) {
  const sourceDir = join(root, 'wasm', name)
  const targetPath = join(root, 'build', `${name}.wasm`)
  const flags = [...commonFlags, ...memory]
  const hash = sourcesHash(sourceDir, flags)
  if (isBuilt(targetPath, hash)) continue
  const wasm = await compile(name, sourceDir, flags)
  mkdirSync(dirname(targetPath), { recursive: true })
  replace(targetPath, wasm)
  replace(`${targetPath}.sources`, hash)
}

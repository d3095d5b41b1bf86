// Builds build/scanner.wasm from wasm/scanner/*.ts, if they changed since it was built. Needs the packages to be installed.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const sourceDir = join(root, 'wasm', 'scanner')
const targetPath = join(root, 'build', 'scanner.wasm')
const hashPath = `${targetPath}.sources`
// No runtime: the module allocates nothing, its memory is laid out in wasm/scanner/memory.ts.
const flags = [
  '-O3',
  '--converge',
  '--noAssert',
  '--runtime',
  'stub',
  '--enable',
  'simd',
  '--initialMemory',
  '2',
  '--use',
  'abort=',
]

/** SHA-256 of everything the module is made from. */
function sourcesHash() {
  const hash = createHash('sha256')
  const compiler = createRequire(import.meta.url)('assemblyscript/package.json')
  hash.update(JSON.stringify([compiler.version, flags]))
  for (const name of readdirSync(sourceDir).sort())
    hash.update(`\0${name}\0`).update(readFileSync(join(sourceDir, name)))
  return hash.digest('hex')
}

function isBuilt(hash) {
  try {
    return readFileSync(hashPath, 'utf8') === hash && readFileSync(targetPath).length > 0
  } catch {
    return false
  }
}

/** Replaces a file whole or not at all. */
function replace(path, bytes) {
  const freshPath = `${path}.${process.pid}`
  writeFileSync(freshPath, bytes)
  renameSync(freshPath, path)
}

async function build(hash) {
  const { default: asc } = await import('assemblyscript/asc')
  let wasm = null
  const { error, stderr } = await asc.main(['scanner.ts', ...flags, '--outFile', 'scanner.wasm'], {
    readFile: (name, baseDir) => {
      try {
        return readFileSync(join(sourceDir, baseDir, name), 'utf8')
      } catch {
        return null
      }
    },
    writeFile: (_name, contents) => {
      wasm = contents
    },
    listFiles: () => [],
  })
  if (error || wasm === null) throw new Error(`Cannot build the scanner: ${stderr.toString() || error}`)
  mkdirSync(dirname(targetPath), { recursive: true })
  replace(targetPath, wasm)
  replace(hashPath, hash)
}

const hash = sourcesHash()
if (!isBuilt(hash)) await build(hash)

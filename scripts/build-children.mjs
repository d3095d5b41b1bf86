// Build children: bundles each program of a child process, with DuckDB's JavaScript, into one file, which starts in 80
// instead of 190 ms of CPU time. Runs at set-up if something has changed, and for the package.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const targetDir = join(root, 'build', 'children')
const inputsPath = join(targetDir, 'inputs.json')
const programs = ['engine/readers/reader-main', 'engine/query/query-main']

/** Returns the files that the bundles are made of; the lock file stands for those of packages. */
export async function bundleChildren(sources, options) {
  const { build } = await import('esbuild')
  const licence = readFileSync(join(root, 'node_modules/@duckdb/node-api/LICENSE'), 'utf8')
  // Only the binding finds its native code.
  const require = `createRequire(createRequire(import.meta.url).resolve('@duckdb/node-api'))`
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: sources,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@duckdb/node-bindings'],
    banner: {
      js: `/*! With @duckdb/node-api:\n${licence}*/\nimport { createRequire } from 'node:module'; const require = ${require};`,
    },
    metafile: true,
    logLevel: 'error',
    ...options,
  })
  return [...Object.keys(metafile.inputs).filter((path) => !path.startsWith('node_modules/')), 'package-lock.json']
}

export const childPrograms = (dir, extension) => programs.map((name) => join(dir, `${name}${extension}`))

/** As src/engine/sandbox/child-program.ts finds out. */
function isBuilt() {
  try {
    const builtMs = statSync(inputsPath).mtimeMs
    const inputs = [...JSON.parse(readFileSync(inputsPath, 'utf8')), 'scripts/build-children.mjs']
    return inputs.every((path) => statSync(join(root, path)).mtimeMs <= builtMs)
  } catch {
    return false
  }
}

/** The sandbox runs them as another user. */
export async function buildChildren() {
  if (isBuilt()) return
  const sources = childPrograms('src', '.ts')
  const options = { outdir: targetDir, entryNames: '[name]', outExtension: { '.js': '.mjs' } }
  const inputs = await bundleChildren(sources, options)
  writeFileSync(inputsPath, JSON.stringify(inputs))
  chmodSync(targetDir, 0o755)
  for (const name of programs) chmodSync(join(targetDir, `${name.split('/').at(-1)}.mjs`), 0o644)
}

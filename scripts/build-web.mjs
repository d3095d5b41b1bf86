// Build web: builds build/web from web/ and what it shares with src/: the page, its script and style sheet, the worker
// that checks files with its WebAssembly, and the pages of the docs. Assets are named by their content. Runs at set-up
// if something has changed. Needs the installed packages and build/*.wasm.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtDocs, docFiles } from './build-docs.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const sourceDir = join(root, 'web')
const targetDir = join(root, 'build', 'web')
const stampPath = join(targetDir, 'sources.sha256')

const sharedDirs = ['columns', 'compression', 'core', 'csv', 'io', 'reading', 'service'].map((dir) =>
  join(root, 'src', dir),
)
const moduleFiles = ['scanner.wasm', 'columns.wasm'].map((name) => join(root, 'build', name))

const platformFiles = {
  'src/reading/bytes/platform-bytes.ts': 'web/check/platform/platform-bytes.ts',
  'src/reading/wasm/scanner-module.ts': 'web/check/platform/wasm-modules.ts',
  'src/columns/memory/columns-module.ts': 'web/check/platform/wasm-modules.ts',
}

function sourcesHash() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)))
  hash.update(readFileSync(join(root, 'scripts', 'build-docs.mjs')))
  const filesOf = (dir) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  for (const path of [...[sourceDir, ...sharedDirs].flatMap(filesOf), ...moduleFiles, ...docFiles(root)].sort())
    hash.update(`\0${path.slice(root.length)}\0`).update(readFileSync(path))
  return hash.digest('hex')
}

function isBuilt(hash) {
  try {
    return readFileSync(stampPath, 'utf8') === hash
  } catch {
    return false
  }
}

const platform = {
  name: 'platform',
  setup({ onResolve }) {
    onResolve(
      { filter: /^\.{1,2}\/.*\/?(platform-bytes|scanner-module|columns-module)\.ts$/ },
      ({ path, resolveDir }) => {
        const found = relative(root, join(resolveDir, path)).replaceAll('\\', '/')
        const other = platformFiles[found]
        return other === undefined ? undefined : { path: join(root, other) }
      },
    )
  },
}

const options = {
  absWorkingDir: sourceDir,
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  publicPath: '/assets',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  legalComments: 'none',
  logLevel: 'error',
  write: false,
}

async function build(hash) {
  const { build: bundle } = await import('esbuild')
  const freshDir = `${targetDir}-${process.pid}`
  const assetsDir = join(freshDir, 'assets')
  mkdirSync(assetsDir, { recursive: true })
  const write = ({ outputFiles }) =>
    outputFiles.map(({ path, contents }) => {
      writeFileSync(join(assetsDir, basename(path)), contents)
      return basename(path)
    })

  const worker = await bundle({
    ...options,
    entryPoints: { check: 'check/check-worker.ts' },
    outdir: assetsDir,
    loader: { '.wasm': 'file' },
    plugins: [platform],
  })
  const workerName = write(worker).find((name) => name.startsWith('check-'))
  const result = await bundle({
    ...options,
    entryPoints: { page: 'main.tsx', style: 'style.css', docs: 'docs/docs.ts', 'docs-style': 'docs/docs-style.css' },
    outdir: assetsDir,
    splitting: true,
    metafile: true,
    chunkNames: 'chunk-[hash]',
    define: { checkWorkerUrl: JSON.stringify(`/assets/${workerName}`) },
    plugins: [platform],
  })
  let page = readFileSync(join(sourceDir, 'index.html'), 'utf8')
  const names = write(result)
  for (const name of names) page = page.replace(`/assets/${name.replace(/-[A-Z0-9]{8}\./, '.')}`, `/assets/${name}`)
  // What the script imports at once is asked for together with it.
  const outputs = Object.entries(result.metafile.outputs)
  const imported = outputs.find(([path]) => /\bpage-\w+\.js$/.test(path))[1].imports
  const preloads = imported
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `  <link rel="modulepreload" href="/assets/${basename(path)}">\n  `)
  page = page.replace('</head>', `${preloads.join('')}</head>`)
  const assetOf = (pattern) => `/assets/${names.find((name) => pattern.test(name))}`
  const docs = await builtDocs(root, { script: assetOf(/^docs-\w+\.js$/), style: assetOf(/^docs-style-\w+\.css$/) })
  mkdirSync(join(freshDir, 'docs', 'decisions'), { recursive: true })
  for (const [name, text] of docs) writeFileSync(join(freshDir, name), text)
  writeFileSync(join(freshDir, 'index.html'), page)
  writeFileSync(join(freshDir, 'sources.sha256'), hash)
  rmSync(targetDir, { recursive: true, force: true })
  renameSync(freshDir, targetDir)
}

const hash = sourcesHash()
if (!isBuilt(hash)) await build(hash)

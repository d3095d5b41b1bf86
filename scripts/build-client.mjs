// Build client: packages the command line without the service in build/client, for machines that only send and fetch.
// It has no dependencies and takes a few hundred kilobytes. Runs on Node 22: newer syntax is compiled down.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { compile, root, setUp } from './setup.mjs'

const entry = 'bin/csv-upload.js'
const compiledDir = join(root, 'build', `client-compiled-${process.pid}`)
const targetDir = join(root, 'build', 'client')

setUp()
try {
  compile(compiledDir, ['--target', 'es2024', '--declaration', 'false'])
  rmSync(targetDir, { recursive: true, force: true })
  for (const path of reachable(join(compiledDir, entry))) {
    const target = join(targetDir, 'dist', relative(compiledDir, path))
    mkdirSync(dirname(target), { recursive: true })
    cpSync(path, target)
  }
} finally {
  rmSync(compiledDir, { recursive: true, force: true })
}
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const manifest = {
  name: 'csv-upload-client',
  version,
  description: 'Send CSV files to a CSV Upload Service, and fetch and query what became of them.',
  license,
  type: 'module',
  engines: { node: '>=22' },
  bin: { 'csv-upload': `./dist/${entry}` },
}
writeFileSync(join(targetDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
cpSync(join(root, 'LICENSE'), join(targetDir, 'LICENSE'))
process.stdout.write('build/client\n')

/** The files that a file imports statically, itself included. Files imported on demand belong to the service. */
function reachable(start) {
  const found = new Set()
  const visit = (path) => {
    if (found.has(path)) return
    found.add(path)
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^'"]*['"](\.[^'"]+)['"]/gm))
      visit(join(dirname(path), specifier))
  }
  visit(start)
  return found
}

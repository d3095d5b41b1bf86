// Build: compiles the TypeScript to the JavaScript that is published, since Node does not strip types below
// node_modules. For `npm pack`; a checkout does not need it.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleChildren, childPrograms } from './build-children.mjs'
import { compile, root, setUp } from './setup.mjs'

const distDir = join(root, 'dist')
// Moved into place once complete, so that two packs at once never see half of it.
const freshDir = join(root, 'build', `dist-${process.pid}`)

setUp()
compile(freshDir)

// The compiler turns `./child.ts` into `./child.js` in imports, but not in paths of files started as processes.
const started = /(new URL\('\.[^']+)\.ts('\s*,\s*import\.meta\.url\))/g
for (const name of readdirSync(freshDir, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.js')) continue
  const path = join(freshDir, name)
  const code = readFileSync(path, 'utf8')
  const fixed = code.replaceAll(started, '$1.js$2')
  if (fixed !== code) writeFileSync(path, fixed)
}

await bundleChildren(childPrograms(freshDir, '.js'), { outdir: freshDir, outbase: freshDir, allowOverwrite: true })

rmSync(distDir, { recursive: true, force: true })
renameSync(freshDir, distDir)

// Build: makes the JavaScript that is published from the TypeScript that runs here, since Node strips no types below
// node_modules. For `npm pack`; a checkout needs none of it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, setUp } from './setup.mjs'

const distDir = join(root, 'dist')

await setUp()
rmSync(distDir, { recursive: true, force: true })
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

// The compiler turns `./child.ts` into `./child.js` in imports, but not where a file is started as a process.
const started = /(new URL\('\.[^']+)\.ts('\s*,\s*import\.meta\.url\))/g
for (const name of readdirSync(distDir, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.js')) continue
  const path = join(distDir, name)
  const code = readFileSync(path, 'utf8')
  const fixed = code.replaceAll(started, '$1.js$2')
  if (fixed !== code) writeFileSync(path, fixed)
}

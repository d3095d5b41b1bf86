// Build: makes the JavaScript that is published from the TypeScript that runs here, since Node strips no types below
// node_modules. For `npm pack`; a checkout needs none of it.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, setUp } from './setup.mjs'

const distDir = join(root, 'dist')
// Put in its place when it is whole, so that two who pack at once do not meet half of it.
const freshDir = join(root, 'build', `dist-${process.pid}`)

await setUp()
const compiler = join(root, 'node_modules/typescript/bin/tsc')
const flags = ['-p', 'tsconfig.build.json', '--outDir', freshDir]
const { status } = spawnSync(process.execPath, [compiler, ...flags], { cwd: root, stdio: 'inherit' })
if (status !== 0) {
  rmSync(freshDir, { recursive: true, force: true })
  process.exit(status ?? 1)
}

// The compiler turns `./child.ts` into `./child.js` in imports, but not where a file is started as a process.
const started = /(new URL\('\.[^']+)\.ts('\s*,\s*import\.meta\.url\))/g
for (const name of readdirSync(freshDir, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.js')) continue
  const path = join(freshDir, name)
  const code = readFileSync(path, 'utf8')
  const fixed = code.replaceAll(started, '$1.js$2')
  if (fixed !== code) writeFileSync(path, fixed)
}

rmSync(distDir, { recursive: true, force: true })
renameSync(freshDir, distDir)

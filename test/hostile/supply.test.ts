// Supply: what is installed beside our own code is what was chosen, to the byte, and nothing of it runs while it is installed.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(root + file, 'utf8')

interface Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

// Both files are our own, in formats that npm writes down.
const manifest = JSON.parse(read('package.json')) as Manifest
const lock = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly integrity?: string; readonly link?: boolean }>
  >
}

test('every dependency is pinned and its content is known', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} is not pinned`)
    assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name)
  }
  // Rows for other systems are written by hand and have a version alone: what is here is what they cannot speak for.
  const here = Object.entries(lock.packages).filter(([path]) => path !== '' && existsSync(root + path))
  assert.ok(here.length > 50)
  const unknown = here.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)
  assert.deepEqual(unknown, [])
})

test('no script of a dependency runs while it is installed', () => {
  assert.match(read('scripts/setup.mjs'), /--ignore-scripts/)
})

test('the Node that runs is the one that is pinned', () => {
  const { platform, arch, version } = process
  const pinned = manifest.optionalDependencies[`node-${platform}-${arch}`]
  // Of a platform without a pinned Node only the line is known.
  const [major = 0] = version.slice(1).split('.').map(Number)
  assert.ok(major >= 24, version)
  if (pinned !== undefined) assert.equal(version, `v${pinned}`)
})

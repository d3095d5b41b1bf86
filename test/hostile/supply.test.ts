// Tests of the supply chain: every dependency is pinned with a hash, and runs nothing during installation.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(root + file, 'utf8')

interface Manifest {
  readonly publishConfig: { readonly engines: { readonly node: string } }
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** A component of a CycloneDX list. */
interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly hashes?: readonly { readonly alg: string }[]
}

// Both files are our own, in formats written by npm.
const manifest = JSON.parse(read('package.json')) as Manifest
const lock = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly integrity?: string; readonly link?: boolean }>
  >
}

test('every dependency is pinned, with the hash of its content', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} is not pinned`)
    assert.equal(lock.packages[`node_modules/${name}`]?.version, version, name)
  }
  // Of all systems, not only of this one.
  const locked = Object.entries(lock.packages).filter(([path]) => path !== '')
  assert.ok(locked.length > 150)
  const unknown = locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)
  assert.deepEqual(unknown, [])
  // The lock file works with any registry.
  assert.deepEqual(
    locked.filter(([, row]) => 'resolved' in row),
    [],
  )
})

/** Its script only replaces a small launcher with the binary. It never ships, and the page is built without it. */
const unrunScripts = ['node_modules/esbuild']

test('no dependency runs a script during installation, and no shipped one has any', () => {
  assert.match(read('scripts/setup.mjs'), /--ignore-scripts/)
  const scriptsOf = (path: string) => Object.keys(JSON.parse(read(`${path}/package.json`)).scripts ?? {})
  const here = Object.keys(lock.packages).filter((path) => path !== '' && existsSync(`${root}${path}/package.json`))
  const having = here.filter((path) => scriptsOf(path).some((name) => /^(pre|post)?install$/.test(name)))
  assert.deepEqual(having, unrunScripts)
})

test('the SBOM names every dependency of the service with its version and the hash of its content', (t) => {
  const { status, stdout } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) return t.skip('this npm cannot list the packages')
  const { components } = JSON.parse(stdout) as { readonly components: readonly Component[] }
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    const component = components.find((one) => [one.group, one.name].filter(Boolean).join('/') === name)
    assert.equal(component?.version, version, name)
    assert.ok(
      (component?.hashes ?? []).some(({ alg }) => alg === 'SHA-512'),
      name,
    )
  }
})

/** Starts a launcher as if on another version of Node and another system. */
function launchedOn(faked: { readonly version: string; readonly platform?: string }) {
  const program = `
    Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(faked.version)} })
    Object.defineProperty(process, 'platform', { value: ${JSON.stringify(faked.platform ?? process.platform)} })`
  const preload = `--import=data:text/javascript,${encodeURIComponent(program)}`
  const args = [preload, fileURLToPath(new URL('../../scripts/csv-upload.mjs', import.meta.url)), '--version']
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}

test('an old Node starts the pinned one; if there is none, it says in one line what is needed', () => {
  const pinned = manifest.optionalDependencies[`node-${process.platform}-${process.arch}`]
  const old = launchedOn({ version: '20.9.0' })
  if (pinned !== undefined) assert.deepEqual([old.status, old.stderr], [0, ''])
  const alone = launchedOn({ version: '20.9.0', platform: 'sunos' })
  assert.equal(alone.status, 1)
  assert.match(alone.stderr, /^Cannot run on Node 20\.9\.0 \(sunos-\w+\): expected Node 24\.18 or newer\n$/)
  assert.equal(launchedOn({ version: '24.9.0', platform: 'sunos' }).status, 1)
  assert.equal(launchedOn({ version: '24.18.0', platform: 'sunos' }).status, 0)
})

test('every pinned Node is at least the one that the package needs, and the docs name that one', () => {
  const wanted = manifest.publishConfig.engines.node.replace('>=', '')
  const pinned = Object.entries(manifest.optionalDependencies)
  assert.ok(pinned.length >= 5)
  for (const [name, version] of pinned)
    assert.ok(version.localeCompare(wanted, 'en', { numeric: true }) >= 0, `${name} ${version}`)
  for (const page of ['README.md', 'docs/library.md', 'docs/deployment.md'])
    assert.match(read(page), new RegExp(`Node ${wanted} or newer`), page)
})

test('the running Node is the pinned one', () => {
  const { platform, arch, version } = process
  const pinned = manifest.optionalDependencies[`node-${platform}-${arch}`]
  // On a platform without a pinned Node, only the release line is known.
  const [major = 0] = version.slice(1).split('.').map(Number)
  assert.ok(major >= 24, version)
  if (pinned !== undefined) assert.equal(version, `v${pinned}`)
})

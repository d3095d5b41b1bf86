// Run: the npm scripts. Sets up what is missing, then runs the pinned Node. Knows nothing of the service.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { becomeNode, npm, root, runNode, SetupError, setUp } from './setup.mjs'

const biome = 'node_modules/@biomejs/biome/bin/biome'
/** The time is for a test that runs in circles: one that waits for nothing ends sooner, see test-stalls.mjs. */
const testFlags = ['--test', '--test-timeout=1800000', '--test-reporter=./scripts/test-reporter.mjs']
const serialTestFlags = [...testFlags, '--test-concurrency=1']
/** Test files at once: one more than there are cores, because tests often wait for disks, sockets and children. */
const parallelTestFlags = [...testFlags, `--test-concurrency=${availableParallelism() + 1}`]

/**
 * Unit tests share a process: starting one and loading the modules takes longer than most test files. The tests of the
 * service do too, and they also share a service, see test/support/shared-service.ts.
 */
const sharedTestFlags = [
  // For a thousand tests in one process: a young generation as small as the service's costs 10 % more CPU time.
  '--max-semi-space-size=16',
  ...testFlags,
  '--test-isolation=none',
  '--import=./scripts/test-leaks.mjs',
]

/**
 * Globs of test files. `npm test` runs units, service, hostile and quick; `npm run test:system` runs system, and then
 * serial, one file at a time.
 */
const testSets = JSON.parse(readFileSync(join(root, 'test/sets.json'), 'utf8'))

/** Each command takes the arguments after `--` and resolves to an exit code. */
const commands = {
  serve: (args) => becomeNode([join(root, 'src/bin/csv-upload.ts'), 'serve', ...args]),
  test: (args) => (args.length > 0 ? inRoot([...testFlags, ...args]) : testQuick()),
  'test:system': (args) => (args.length > 0 ? inRoot([...serialTestFlags, ...args]) : testSystem()),
  'test:ship': () => inParts([tests('trials of the package', [...serialTestFlags, ...testSets.ship])]),
  'test:slow': (args) => inRoot([...serialTestFlags, ...(args.length > 0 ? args : testSets.slow)]),
  'test:mutants': (args) => inRoot(['test/mutants/run.ts', ...args]),
  'test:api': (args) => inRoot(['test/schemathesis/main.ts', ...args]),
  bench: async (args) => (await inRoot(['bench/main.ts', ...args])) || writeDocs(),
  corpus: async (args) => {
    const code = await inRoot(['corpus/main.ts', ...args.map((folder) => resolve(folder))])
    return (await writeDocs()) || code
  },
  torture: async (args) => {
    const code = await inRoot(['torture/main.ts', ...args])
    return (await writeDocs()) || code
  },
  docs: async () => (await inRoot(['test/docs/write-examples.ts'])) || writeDocs(),
  screenshots: (args) => inRoot(['test/docs/write-screenshots.ts', ...args.map((dir) => resolve(dir))]),
  sbom: () => writeSbom(),
  format: () => inRoot([biome, 'check', '--write']),
}

async function testQuick() {
  const checks = [
    check('lint', [biome, 'check', '--error-on-warnings']),
    check('types', ['node_modules/typescript/bin/tsc', '-p', '.']),
    check('types of the page', ['node_modules/typescript/bin/tsc', '-p', 'web', '--noEmit']),
  ]
  return inParts([
    ...checks,
    tests('unit tests', [...sharedTestFlags, ...testSets.units]),
    tests('tests of reading', [...sharedTestFlags, ...testSets.reading]),
    tests('tests of the service', [...sharedTestFlags, ...testSets.service]),
    tests('hostile tests', [...sharedTestFlags, ...testSets.hostile]),
    tests('tests', [...parallelTestFlags, ...testSets.quick]),
  ])
}

/** Runs the system tests, several files at once; then, one at a time, those that measure. */
async function testSystem() {
  const parallel = await tests('tests', [...parallelTestFlags, ...testSets.system])
  return inParts([parallel, tests('tests that measure', [...serialTestFlags, ...testSets.serial])])
}

/** Waits for every part, even after one has failed. The last line of the output has the counts of all tests. */
async function inParts(parts) {
  const done = await Promise.all(parts)
  const failed = done.filter(({ code }) => code !== 0)
  if (failed.length > 0) process.stdout.write(`Failed: ${failed.map(({ name }) => name).join(', ')}\n`)
  const sum = (key) => done.reduce((total, { counts }) => total + (counts?.[key] ?? 0), 0)
  const counts = `${sum('passed')} passed, ${sum('failed') + sum('cancelled')} failed, ${sum('skipped')} skipped`
  process.stdout.write(`${counts}, in ${Math.round(performance.now() / 1_000)} s\n`)
  return failed.length > 0 ? 1 : 0
}

/** Shows the output of a check only if it fails. */
async function check(name, args) {
  const output = []
  const code = await inRoot(args, { onOutput: (chunk) => output.push(chunk) })
  process.stdout.write(code === 0 ? `${name}: passed\n` : `${name}: failed\n${Buffer.concat(output)}`)
  return { name, code }
}

async function tests(name, args) {
  let counts
  const code = await inRoot(args, {
    onMessage: (message) => {
      counts = message
    },
  })
  return { name, code, counts }
}

/** Writes a CycloneDX list of the dependencies of the service, as installed here. */
function writeSbom() {
  const { status, stdout, stderr } = npm(['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'])
  if (status !== 0) throw new SetupError(`Cannot list the installed packages: ${stderr}`)
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(join(root, 'build', 'sbom.json'), stdout)
  process.stdout.write('build/sbom.json\n')
  return 0
}

function writeDocs() {
  return inRoot(['test/docs/write-docs.ts'])
}

function inRoot(args, handlers) {
  process.chdir(root)
  return runNode(args, handlers)
}

const [name = '', ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command === undefined)
    throw new SetupError(`Cannot run '${name}', expected one of ${Object.keys(commands).join(', ')}`)
  setUp()
  process.exitCode = await command(args)
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

// Run: what the npm scripts do. Sets up what is missing, then hands over to the pinned Node. Knows nothing of the service.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { npm, root, runNode, SetupError, setUp } from './setup.mjs'

const biome = 'node_modules/@biomejs/biome/bin/biome'
const testFlags = ['--test', '--test-timeout=120000', '--test-reporter=./scripts/test-reporter.mjs']
const slowTestFlags = [...testFlags, '--test-timeout=1800000', '--test-concurrency=1']
const testFiles = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts']

/** Each takes the arguments after `--` and resolves to an exit code. */
const commands = {
  serve: (args) => runNode([join(root, 'src/bin/csv-upload.ts'), 'serve', ...args]),
  test: (args) => (args.length > 0 ? inRoot([...testFlags, ...args]) : testAll()),
  'test:slow': (args) => inRoot([...slowTestFlags, ...(args.length > 0 ? args : ['test/slow/*.slow.ts'])]),
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
  sbom: () => writeSbom(),
  format: () => inRoot([biome, 'check', '--write']),
}

/** Lint, types and every test, each of them also when one before it failed; the tests last, so that their count ends the output. */
async function testAll() {
  const failed = []
  for (const [name, args] of [
    ['lint', [biome, 'check', '--error-on-warnings']],
    ['types', ['node_modules/typescript/bin/tsc', '-p', '.']],
    ['tests', [...testFlags, ...testFiles]],
  ]) {
    process.stderr.write(`— ${name}\n`)
    if ((await inRoot(args)) !== 0) failed.push(name)
  }
  if (failed.length > 0) process.stderr.write(`Failed: ${failed.join(', ')}\n`)
  return failed.length > 0 ? 1 : 0
}

/** A CycloneDX list of what runs in the service, as it is installed here. */
function writeSbom() {
  const { status, stdout, stderr } = npm(['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'])
  if (status !== 0) throw new SetupError(`Cannot list what is installed: ${stderr}`)
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(join(root, 'build', 'sbom.json'), stdout)
  process.stdout.write('build/sbom.json\n')
  return 0
}

function writeDocs() {
  return inRoot(['test/docs/write-docs.ts'])
}

function inRoot(args) {
  process.chdir(root)
  return runNode(args)
}

const [name = '', ...args] = process.argv.slice(2)
try {
  const command = commands[name]
  if (command === undefined)
    throw new SetupError(`Cannot run '${name}', wanted one of ${Object.keys(commands).join(', ')}`)
  await setUp()
  process.exitCode = await command(args)
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

// Imports point one way (docs/architecture.md lists them); only src/app.ts, src/inspect.ts, src/publish.ts and
// src/verify.ts choose implementations; each dependency is used in one folder.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { siblingArrows } from './arrows.ts'
import { codeFiles, importsOf, isForTests, type Source } from './sources.ts'

/**
 * The parts of a folder that others may import, if not all: interfaces and pure functions. Composing code may import
 * everything.
 */
const open: Readonly<Record<string, readonly string[]>> = {
  compression: ['compression.ts', 'decompress.ts'],
  reading: [
    'reading.ts',
    'scan-options.ts',
    'bytes/platform-bytes.ts',
    'scanner/scanner.ts',
    'scanner/shown-reject.ts',
    'types/infer-types.ts',
    'types/type-notes.ts',
    'encoding/decoder.ts',
    'encoding/single-byte.ts',
  ],
  columns: ['converter.ts', 'writer/join-parts.ts', 'patterns/pattern.ts'],
  engine: ['part-reader.ts', 'query/query.ts'],
  store: ['store.ts'],
  sink: ['sink.ts'],
  service: ['service.ts'],
}

/** Files that choose implementations. */
const composing: ReadonlySet<string> = new Set(['app.ts', 'inspect.ts', 'publish.ts', 'verify.ts'])

/** The one folder that uses each dependency; `test` stands for tests and benchmarks anywhere. */
const touchedBy: Readonly<Record<string, string>> = {
  '@aws-sdk/client-s3': 'src/store/s3',
  '@duckdb/node-api': 'src/engine/duckdb',
  '@fastify/type-provider-typebox': 'src/http',
  fastify: 'src/http',
  jose: 'src/access',
  pg: 'src/sink',
  'pg-copy-streams': 'src/sink',
  pino: 'src/logger.ts',
  'pino-pretty': 'src/logger.ts',
  'prom-client': 'src/metrics',
  re2js: 'src/columns/patterns',
  typebox: 'src/http',
  '@biomejs/biome': 'scripts',
  'axe-core': 'test',
  '@types/node': 'none: types only',
  '@types/pg': 'none: types only',
  '@types/pg-copy-streams': 'none: types only',
  assemblyscript: 'scripts',
  'csv-parse': 'test',
  esbuild: 'scripts',
  marked: 'scripts',
  'fast-check': 'test',
  'playwright-core': 'test',
  preact: 'web',
  typescript: 'scripts',
  undici: 'test',
}

const code = codeFiles()
const shipped = code.filter(({ path }) => path.startsWith('src/') && !isForTests(path))

test('siblings form no circle, at any depth', () => {
  for (const arrows of Map.groupBy(siblingArrows(), ({ parent }) => parent).values()) {
    const targets = Map.groupBy(arrows, ({ from }) => from)
    const reach = (name: string, reached: Set<string>): Set<string> => {
      for (const { to } of targets.get(name) ?? []) if (!reached.has(to)) reach(to, reached.add(to))
      return reached
    }
    for (const { parent, from } of arrows)
      assert.ok(!reach(from, new Set()).has(from), `${parent}/${from} is in a circle`)
  }
})

test('a folder of src is imported through its interface, except by composing files', () => {
  const wrong = relativeImports(shipped).filter(({ from, to }) => {
    const [own, other] = [folderOf(from), folderOf(to)]
    return own !== other && !composing.has(own) && open[other]?.includes(to.split('/').slice(2).join('/')) === false
  })
  assert.deepEqual(wrong, [])
})

test('core imports nothing', () => {
  const core = shipped.filter(({ path }) => folderOf(path) === 'core')
  assert.ok(core.length >= 3)
  assert.deepEqual(
    core.flatMap((source) =>
      importsOf(source)
        .filter(({ to }) => !to.startsWith('./'))
        .map(({ to }) => `${source.path} imports ${to}`),
    ),
    [],
  )
})

test('shipped files import no test files', () => {
  assert.deepEqual(
    relativeImports(shipped).filter(({ to }) => isForTests(to)),
    [],
  )
})

test('imports in src form no cycle, type imports included', () => {
  const edges = Map.groupBy(relativeImports(shipped), ({ from }) => from)
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(path), `cycle: ${[...trail, path].join(' → ')}`)
    if (done.has(path)) return
    for (const { to } of edges.get(path) ?? []) visit(to, [...trail, path])
    done.add(path)
  }
  for (const { path } of shipped) visit(path, [])
})

test('each dependency is used in one folder, and listed here', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  assert.deepEqual(Object.keys(touchedBy).toSorted(), declared.toSorted())
  const wrong = code.flatMap((source) =>
    packagesOf(source)
      .filter((name) => !isAllowed(name, source.path))
      .map((name) => `${source.path} imports ${name}, which is for ${touchedBy[name] ?? 'nobody'}`),
  )
  assert.deepEqual(wrong, [])
})

test("nothing is imported that package.json does not name, nor Node's own modules without their prefix", () => {
  assert.deepEqual(
    code.flatMap(packagesOf).filter((name) => touchedBy[name] === undefined),
    [],
  )
})

function isAllowed(name: string, path: string): boolean {
  const place = touchedBy[name]
  return isForTests(path) || (place !== undefined && (path === place || path.startsWith(`${place}/`)))
}

/** `@scope/name/deep` → `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Imports between files of the project, as paths below the checkout. */
function relativeImports(sources: readonly Source[]) {
  return sources.flatMap((source) =>
    importsOf(source)
      .filter(({ to }) => to.startsWith('.'))
      .map(({ to, isTypeOnly }) => ({ from: source.path, to: posix.join(posix.dirname(source.path), to), isTypeOnly }))
      .filter(({ to }) => to.startsWith('src/')),
  )
}

/** The packages that a file imports, and Node's own modules if their prefix is missing. */
function packagesOf(source: Source): readonly string[] {
  return importsOf(source)
    .filter(({ to }) => !/^(\.|node:)/.test(to))
    .map(({ to }) => packageOf(to))
}

/** `src/store/fs/fs-store.ts` → `store`; `src/app.ts` → `app.ts`. */
function folderOf(path: string): string {
  return path.split('/')[1]!
}

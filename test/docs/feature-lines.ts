// Feature lines: how many lines of product each feature has, as Markdown.
import { codeFiles, isForTests } from '../house/sources.ts'

/** Paths of each feature; the first that matches counts, so that every file is of one feature. */
const features: Readonly<Record<string, RegExp>> = {
  'Resumed uploads': /\/resumable\//,
  OpenAPI: /^src\/http\/openapi\//,
  'Keys, tokens, authorization': /^src\/(http\/)?access\//,
  'HTTP and multipart': /^src\/(http|multipart)\//,
  Scanner: /^(src\/reading\/scanner|wasm\/(scanner|shared))\//,
  Encodings: /^src\/reading\/(encoding|bytes)\//,
  'Dialect, header, types, notes': /^src\/reading\//,
  'Column writer': /^(src|wasm)\/columns\//,
  'Schemas as declared': /^src\/service\/schema\//,
  'Upload and its status': /^src\/service\/uploads?\//,
  Ingest: /^src\/service\/ingest\//,
  'Corrections and further readings': /^src\/service\/(corrections|readings)\//,
  'Rows, profiles, downloads': /^src\/(service\/dataset|csv)\/|^src\/engine\/(readers|sql|statistics|[\w-]+\.ts)/,
  'SQL queries': /^src\/engine\/query\//,
  'Confined processes': /^src\/engine\//,
  'Verification and scrub': /^src\/(service\/(verify|scrub)\/|verify\.ts)/,
  'Copies to PostgreSQL': /^src\/(service\/copies|sink)\//,
  'Store: object storage': /^src\/(store\/s3\/|publish\.ts)/,
  'Store: directory': /^src\/(store|io)\//,
  'Composition of the service': /^src\/(service\/[\w-]+\.ts|app\.ts|index\.ts)/,
  'Command line and client': /^src\/(cli|client|bin)\/|^src\/inspect\.ts/,
  'Options, metrics, webhooks, logs': /^src\/(config|metrics|webhook|logger\.ts)/,
  'Compressed files': /^src\/compression\//,
  'Shared types and tables': /^src\/core\//,
  'Docs site': /^(web\/docs\/|scripts\/build-docs)/,
  Page: /^web\//,
  Scripts: /^scripts\//,
}

/** A row for each feature, the largest first. */
export function featureLines(): readonly (readonly [feature: string, lines: number])[] {
  const sums = new Map<string, number>()
  for (const { path, text } of codeFiles().filter(({ path }) => /^(src|web|wasm|scripts)\//.test(path))) {
    if (isForTests(path)) continue
    const feature = Object.keys(features).find((name) => features[name]!.test(path))
    if (feature === undefined) throw new Error(`Cannot count ${path}: it is of no feature in ${import.meta.filename}`)
    sums.set(feature, (sums.get(feature) ?? 0) + text.split('\n').length - 1)
  }
  return sums
    .entries()
    .toArray()
    .toSorted(([, a], [, b]) => b - a)
}

export function featureTable(): string {
  const rows = featureLines().map(([feature, lines]) => `| ${feature} | ${Math.round(lines / 100) / 10} |`)
  return ['| Feature | Thousand lines |', '| --- | --- |', ...rows].join('\n')
}

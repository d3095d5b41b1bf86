// Arrows: which siblings import which, folders at any depth of src, web and wasm, and files directly in src.
import { dirname, posix } from 'node:path'
import { codeFiles, importsOf, isForTests } from './sources.ts'

/** One sibling imports another, type imports included. */
export interface Arrow {
  /** The folder of both: `src/service`. */
  readonly parent: string
  readonly from: string
  readonly to: string
}

/** All arrows of the shipped code, each once, ordered. */
export function siblingArrows(): readonly Arrow[] {
  const sources = codeFiles().filter(({ path }) => /^(src|web|wasm)\//.test(path) && !isForTests(path))
  const paths = new Set(sources.map(({ path }) => path))
  const arrows = new Map<string, Arrow>()
  for (const source of sources)
    for (const { to } of importsOf(source)) {
      const path = posix.join(dirname(source.path), to)
      const target = [path, `${path}.ts`].find((candidate) => paths.has(candidate))
      const arrow = target === undefined ? null : arrowBetween(source.path.split('/'), target.split('/'))
      if (arrow) arrows.set(Object.values(arrow).join(' '), arrow)
    }
  return arrows
    .keys()
    .toArray()
    .toSorted()
    .map((key) => arrows.get(key)!)
}

function arrowBetween(own: readonly string[], other: readonly string[]): Arrow | null {
  const depth = own.findIndex((name, at) => name !== other[at])
  const areFolders = depth < own.length - 1 && depth < other.length - 1
  if (depth < 1 || !(areFolders || (own[0] === 'src' && depth === 1))) return null
  return { parent: own.slice(0, depth).join('/'), from: own[depth]!, to: other[depth]! }
}

/** The arrows as Markdown: a row for each sibling that imports others. */
export function arrowTable(): string {
  const rows = Map.groupBy(siblingArrows(), ({ parent, from }) => `| \`${parent}\` | \`${from}\``)
  const lines = rows.entries().map(([start, group]) => `${start} | ${group.map(({ to }) => `\`${to}\``).join(', ')} |`)
  return ['| In | This | imports |', '| --- | --- | --- |', ...lines].join('\n')
}

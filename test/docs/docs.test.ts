// Tests of the docs: codes, options and links match the code, in both directions.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { allCommands } from '../../src/cli/commands.ts'
import { clientVariables } from '../../src/config/client-environment.ts'
import { allOptions, environmentName } from '../../src/config/options.ts'
import { errorTable } from '../../src/core/errors.ts'
import { firstRejectsMax } from '../../src/core/receipt.ts'
import { projectFiles } from '../house/sources.ts'
import { featureLines } from './feature-lines.ts'
import { generatedParts, pageUrl, withPart } from './generated.ts'

const pages = projectFiles().filter(({ path }) => path.endsWith('.md'))

for (const part of generatedParts.filter(({ isRough }) => !isRough)) {
  test(`${part.page} has exactly the ${part.name} of the code`, () => {
    const page = readFileSync(pageUrl(part.page), 'utf8')
    assert.ok(!part.text.includes('undefined'), 'a detail has no example value')
    assert.ok(page === withPart(page, part), 'it is out of date; to update it: npm run docs')
  })
}

test('docs/architecture.md has the lines of each feature, about', () => {
  const page = readFileSync(pageUrl('docs/architecture.md'), 'utf8')
  for (const [feature, lines] of featureLines()) {
    const shown = Number(new RegExp(`^\\| ${feature} \\| ([\\d.]+) \\|$`, 'm').exec(page)?.[1]) * 1000
    assert.ok(Math.abs(shown - lines) <= 100 + lines / 10, `${feature}: ${lines}; to update it: npm run docs`)
  }
})

test('every file that docs/architecture.md names exists', () => {
  const page = readFileSync(pageUrl('docs/architecture.md'), 'utf8')
  const named = [...page.matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(([, path]) => path!)
  assert.ok(named.length > 20)
  assert.deepEqual(
    named.filter((path) => !['', 'src/'].some((start) => existsSync(pageUrl(start + path)))),
    [],
  )
})

test('every option and variable that a page names exists', () => {
  const known = new Set([
    ...allOptions.flatMap(({ flag }) => [flag, environmentName(flag)]),
    ...allCommands.flatMap(({ options }) => options.map(({ flag }) => flag)),
    ...Object.values(clientVariables),
  ])
  const foreign = new Set(['--help', '--version', '--data-binary', '--fail-with-body', '--omit'])
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`(--[a-z][a-z0-9-]*|CSV_UPLOAD_[A-Z][A-Z0-9_]*)/g)].map((match) => ({ path, name: match[1]! })),
  )
  assert.ok(named.length > 20)
  assert.deepEqual(
    named.filter(({ name }) => !known.has(name) && !foreign.has(name)),
    [],
  )
})

test('every error code that a page names exists', () => {
  const codes = pages.flatMap(({ path, text }) =>
    path === 'docs/errors.md' ? [...text.matchAll(/^\| `([A-Z_]+)`/gm)].map((match) => match[1]!) : [],
  )
  assert.deepEqual(codes.toSorted(), Object.keys(errorTable).toSorted())
})

test('the docs name as many first rejects as a receipt shows', () => {
  const named = ['docs/tutorial.md', 'docs/cli.md'].map((path) => readFileSync(pageUrl(path), 'utf8'))
  for (const text of named) assert.match(text, new RegExp(`\\b[Tt]he first ${firstRejectsMax}\\b`))
})

test('every link between pages leads to a file', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1]!)
      .filter((target) => !existsSync(new URL(target, pageUrl(path))))
      .map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(broken, [])
})

test('every decision has its page in the list, and says when to look again', () => {
  const decisions = pages.filter(({ path }) => /^docs\/decisions\/(?!README)/.test(path))
  const list = readFileSync(pageUrl('docs/decisions/README.md'), 'utf8')
  assert.deepEqual(
    decisions.filter(({ path }) => !list.includes(`(${path.split('/').at(-1)})`)).map(({ path }) => path),
    [],
  )
  assert.deepEqual(
    decisions.filter(({ text }) => !/look again/i.test(text)).map(({ path }) => path),
    [],
  )
})

test('every link to a heading leads to one', () => {
  const anchors = new Map(pages.map(({ path, text }) => [path, headingsOf(text)]))
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .map(([, target, anchor]) => ({ target: target === '' ? path : join(dirname(path), target!), anchor: anchor! }))
      .filter(({ target, anchor }) => target.endsWith('.md') && anchors.get(target)?.has(anchor) !== true)
      .map(({ target, anchor }) => `${path}: ${target}#${anchor}`),
  )
  assert.deepEqual(broken, [])
})

/** The anchors of a page's headings, as GitHub makes them or as written in them. */
function headingsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]!)
  return new Set(
    headings.flatMap((heading) => [
      ...(/<a id="(\w+)">/.exec(heading)?.slice(1) ?? []),
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ]),
  )
}

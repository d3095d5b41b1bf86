// Rules for every file: a first line, no loose ends, nothing specific to one machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeFiles, isForTests, projectFiles, type Source } from './sources.ts'

// This file contains the patterns that it searches for.
const everything = projectFiles().filter(({ path }) => path !== 'test/house/files.test.ts')
const code = codeFiles().filter(({ path }) => path !== 'test/house/files.test.ts')

test('the files to check are found', () => {
  assert.ok(code.length > 20)
  assert.ok(everything.length > code.length)
})

test('every file begins with a line that says what it contains', () => {
  assert.deepEqual(
    code.filter(({ text }) => !/^(#!.*\n)?\/\/ \S.{9,}\n/.test(text)).map(({ path }) => path),
    [],
  )
})

test('nothing is left open or switched off', () => {
  finds(code, /\b(TODO|FIXME|XXX|HACK)\b/)
  finds(code, /@ts-(ignore|nocheck|expect-error)|biome-ignore|eslint-disable/)
})

test('nothing is typed any', () => {
  finds(code, /(:\s*|\bas\s+|<)any\b(?=\s*([=,;)>\]|&[{]|$))/)
})

test('no test runs exclusively and none is always skipped', () => {
  finds(code, /^(?!\s*if \().*\b(test|it|describe|suite)\.(only|skip|todo)\(|[{,]\s*(only|skip|todo):\s*(true|['"])/)
})

test('only src/config reads the environment', () => {
  const others = code.filter(
    ({ path }) => !/^(src\/config|scripts|bench|corpus|test|torture)\//.test(path) && !isForTests(path),
  )
  finds(others, /\bprocess\.env\b/)
})

test('src takes node:http from one module, without what an import loads', () => {
  const others = code.filter(({ path }) => path.startsWith('src/') && !isForTests(path))
  finds(others, /^\w+ (?!type ).* from 'node:http'/)
})

test('no file contains a path or a registry of a developer machine', () => {
  finds(everything, /(^|[\s"'`(=])\/(work|farm|root|home|Users)\/\w/)
  finds(everything, /"resolved":|registry\s*=\s*\S|_authToken/)
  const lock = everything.filter(({ path }) => path === 'package-lock.json')
  assert.equal(lock.length, 1)
  finds(lock, /https?:\/\/[^"]*\.tgz/)
})

test('nothing is read before an await and changed after it in one expression', () => {
  const shipped = code.filter(({ path }) => !isForTests(path))
  // `sum += await …` adds to what `sum` was before.
  finds(shipped, /[-+*]= [^;)]*\bawait\b/)
  // `list.push(await …)` adds to what the variable or field named when the call began.
  const found = shipped.flatMap(({ path, text }) =>
    pushedAwaits(text)
      .filter((list) => /\W/.test(list) || new RegExp(`\\blet ${list}\\b`).test(text))
      .map((list) => `${path}: ${list}`),
  )
  assert.deepEqual(found, [])
})

test('pushedAwaits() finds calls over several lines, and nothing outside them', () => {
  const calls = 'a.push(f(1), await g())\nthis.#b.push({\n  c: await d(),\n})\ne.push(f())\nawait g()\n'
  assert.deepEqual(pushedAwaits(calls), ['a', 'this.#b'])
})

/** What `push` is called on, for each call with an `await` among its arguments. */
function pushedAwaits(text: string): readonly string[] {
  return [...text.matchAll(/([\w.#]+)\.push\(/g)].flatMap((call) => {
    const start = call.index + call[0].length
    let end = start
    for (let depth = 1; depth > 0 && end < text.length; end++) depth += { '(': 1, ')': -1 }[text[end]!] ?? 0
    return /\bawait\b/.test(text.slice(start, end)) ? [call[1]!] : []
  })
}

test('lines end with LF, and files with exactly one line end', () => {
  assert.deepEqual(
    code.filter(({ text }) => text.includes('\r') || !/[^\n]\n$/.test(text)).map(({ path }) => path),
    [],
  )
})

function finds(sources: readonly Source[], pattern: RegExp): void {
  const found = sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )
  assert.deepEqual(found, [])
}

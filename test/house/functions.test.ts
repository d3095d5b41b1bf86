// Function lengths: no shipped function is longer than the limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { functionsOf } from './functions.ts'
import { codeFiles, isForTests } from './sources.ts'

/** Past 40 lines we look again; past this we split. */
const linesMax = 70

test('functionsOf() measures functions, methods, arrow functions and calls with a callback', () => {
  const source = [
    'export async function one({ a, b }: Options): Promise<void> {',
    '  call(() => {',
    '  })',
    '}',
    'function two({',
    '  a,',
    '}: Options): Result {',
    '  return {',
    '  }',
    '}',
    'const three = (a: number) => {',
    '  return a',
    '}',
    'class Some {',
    '  private async four(',
    '    a: number,',
    '  ): Promise<void> {',
    '    if (a) {',
    '    }',
    '  }',
    '}',
    'declare function five(): void',
    'const six = () => 6',
    'if (three(1)) {',
    '}',
  ]
  assert.deepEqual(
    functionsOf(source.join('\n')).map(({ name, line, lineCount }) => [name, line, lineCount]),
    [
      ['one', 1, 4],
      ['call', 2, 2],
      ['two', 5, 6],
      ['three', 11, 3],
      ['four', 15, 6],
    ],
  )
})

test(`no shipped function is longer than ${linesMax} lines`, () => {
  const shipped = codeFiles().filter(({ path }) => !isForTests(path))
  const functions = shipped.flatMap(({ path, text }) =>
    functionsOf(text).map(({ name, lineCount }) => ({ place: `${path} ${name}`, lineCount })),
  )
  assert.ok(functions.length > 1_000, `${functions.length} functions were found`)
  const found = functions.filter(({ lineCount }) => lineCount > linesMax)
  assert.deepEqual(found, [])
})

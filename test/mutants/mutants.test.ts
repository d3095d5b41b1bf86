// Tests of the mutants: each still fits the code. `npm run test:mutants` checks that its test fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { projectFiles } from '../house/sources.ts'
import { mutants } from './mutants.ts'

const texts = new Map(projectFiles().map(({ path, text }) => [path, text]))

test('there are at least a hundred mutants, each with a unique id and a promise', () => {
  assert.ok(mutants.length >= 100, `${mutants.length} mutants`)
  assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length)
  for (const { id, promise } of mutants) assert.ok(promise.length > 10, id)
})

test('the text of each mutant occurs once in its file, and its test exists', () => {
  const wrong = mutants.flatMap(({ id, path, find, replace, test: testPath }) => {
    const count = (texts.get(path) ?? '').split(find).length - 1
    return [
      ...(count === 1 ? [] : [`${id}: its text occurs ${count} times in ${path}; change the mutant with the code`]),
      ...(texts.has(testPath) ? [] : [`${id}: ${testPath} does not exist`]),
      ...(find === replace ? [`${id}: it changes nothing`] : []),
    ]
  })
  assert.deepEqual(wrong, [])
})

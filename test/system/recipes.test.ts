// Tests of the commands and client recipes in the docs: run as printed with a real service, in every language installed here.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pageUrl } from '../docs/generated.ts'
import { type CodeBlock, codeBlocks, reasonNotToRun, runCode } from '../support/code-blocks.ts'
import { ownService } from '../support/shared-service.ts'

const address = 'http://127.0.0.1:8080'
const people = 'id,name,born,balance\n007,Ada,1815-12-10,12.50\n008,Grace,1906-12-09,7.25\n009,Alan,1912-06-23\n'

const { service, dir } = await ownService()
await writeFile(join(dir, 'people.csv'), people)

describe('the docs', () => {
  const blocksOf = async (page: string): Promise<readonly CodeBlock[]> => {
    const text = await readFile(pageUrl(page), 'utf8')
    return codeBlocks(text.replaceAll(address, service.url))
  }

  it('show in the tutorial the actual output of its commands', async (t) => {
    const reason = await reasonNotToRun('sh')
    if (reason !== null) return t.skip(reason)
    const blocks = (await blocksOf('docs/tutorial.md')).slice(1)
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
    assert.ok(commands.length >= 9)
    const printed = await runCode('sh', commands.join('\n'), dir)
    const shown = blocks.filter(({ language }) => language !== 'sh')
    assert.ok(shown.length >= 6)
    for (const { code } of shown) assert.ok(printed.includes(code), `not printed:\n${code}\nbut:\n${printed}`)
  })

  for (const language of ['python', 'js', 'go', 'java', 'r']) {
    it(`have a recipe in ${language} that uploads a file`, async (t) => {
      const reason = await reasonNotToRun(language)
      if (reason !== null) return t.skip(reason)
      const blocks = (await blocksOf('docs/clients.md')).filter((block) => block.language === language)
      const printed = await runCode(language, blocks.map(({ code }) => code).join('\n'), dir)
      assert.match(printed, /accepted\D+2\b|\b2\s+1\s*$/)
    })
  }
})

// Tests of keys on the page: it asks for a key, shows its scopes and the used quota, and offers only what it allows.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Scope, scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { axeViolations, chooseFile, noBrowser, overflowOf, PageBrowser } from '../support/page-browser.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

describe('a page that needs a key', { skip: noBrowser }, () => {
  const keyOf = (name: string, allowed: readonly Scope[], expires?: string) =>
    newKey({ name, owner: 'team a', scopes: allowed, ...(expires !== undefined && { expires }) })
  const everything = keyOf('ci', scopes, '2099-12-31T00:00:00Z')
  const reader = keyOf('reader', ['read'])
  const sender = keyOf('sender', ['upload'])
  let service: RunningService
  let browser: PageBrowser
  const closing = new AsyncDisposableStack()

  before(async () => {
    const scratch = closing.use(await scratchDir())
    const keys = join(scratch.path, 'keys.json')
    await writeFile(keys, formatKeys([everything.key, reader.key, sender.key]), { mode: 0o600 })
    const flags = ['--keys', keys, '--quota-size', '1MB', '--quota-datasets', '2', '--max-file-size', '8KB']
    service = closing.use(await RunningService.start(join(scratch.path, 'data'), flags))
    browser = closing.use(await PageBrowser.launch())
  })
  after(() => closing.disposeAsync())

  const open = (options: BrowserContextOptions = {}) => browser.open(service.url, options)
  const enter = async (page: Page, key: string) => {
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Use key' }).click()
  }
  const keyLine = (page: Page) => page.locator('.caller')

  it('asks for one, refuses a wrong one, and shows the scopes and usage of a valid one', async () => {
    await using page = await open()
    await page.getByText('This service asks for an API key.').waitFor()
    assert.equal(await page.getByLabel('API key').count(), 1)
    await chooseFile(page, 'kept.csv', 'id,name\n1,Ada\n')
    // The first one with an ellipsis, as if copied from a table.
    for (const wrong of [`${everything.secret.slice(0, 9)}…`, `${everything.secret}x`]) {
      await enter(page, wrong)
      await page.getByText('The service does not accept this key.').waitFor()
    }
    await enter(page, 'x'.repeat(20_000))
    await page.getByRole('alert').filter({ hasText: 'Cannot read request: its head is larger' }).waitFor()
    await enter(page, everything.secret)
    await keyLine(page).getByText('Key ci of team a').waitFor()
    const said = String(await keyLine(page).textContent())
    assert.match(said, /may send files, read datasets, and delete datasets/)
    assert.match(said, /valid until .*20\d\d/)
    assert.match(said, /Stored: 0 B of 1 MB/)
    assert.match(said, /Datasets: 0 of 2/)
    assert.equal(await page.evaluate('document.activeElement.className'), 'row caller quiet small')
    // A file chosen before is still chosen.
    await page.getByRole('button', { name: 'Send: kept.csv' }).click()
    await page.getByRole('link', { name: '1 row, 0 rejected' }).waitFor()
    await keyLine(page).getByText('Datasets: 1 of 2').waitFor()
    await page.reload()
    await keyLine(page).getByText('Key ci of team a').waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await page.getByText('This service asks for an API key.').waitFor()
    assert.equal(await page.getByText('kept.csv').count(), 0)
  })

  it('says of an upload refused before the key was entered to try it again', async () => {
    await using page = await open()
    await chooseFile(page, 'early.csv', 'id,name\n2,Grace\n')
    await page.getByRole('button', { name: 'Send: early.csv' }).click()
    await page.getByText('failed').waitFor()
    await enter(page, everything.secret)
    await page.getByRole('alert').filter({ hasText: 'This was refused for lack of a valid key.' }).waitFor()
    await page.getByRole('button', { name: 'Try again: early.csv' }).click()
    await page.getByRole('link', { name: '1 row, 0 rejected' }).waitFor()
    await page.getByLabel('Select early.csv').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('early.csv is in the trash.').waitFor()
    // What is in the trash counts.
    await page.getByRole('link', { name: /^Trash/ }).click()
    await page.getByLabel('Select early.csv').check()
    await page.getByRole('button', { name: 'Erase now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase now' }).click()
    await page.getByText('Nothing here.').waitFor()
  })

  it('accepts a key and forgets it, by keyboard alone', async () => {
    await using page = await open()
    const field = page.getByLabel('API key')
    await field.waitFor()
    for (let tabs = 0; tabs < 20 && (await page.locator('input[type=password]:focus').count()) === 0; tabs += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.type(reader.secret)
    await page.keyboard.press('Enter')
    await keyLine(page).getByText('Key reader of team a').waitFor()
    // The line has the focus, and its button is next.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('This service asks for an API key.').waitFor()
  })

  it('offers nothing that a key does not allow, and says why', async () => {
    await using page = await open()
    await enter(page, everything.secret)
    await chooseFile(page, 'bad.csv', 'id,name\n1,Ada\n2\n')
    await page.getByRole('button', { name: 'Send: bad.csv' }).click()
    await page.getByRole('link', { name: '1 row, 1 rejected' }).waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()

    await enter(page, reader.secret)
    await keyLine(page).getByText('may read datasets').waitFor()
    await chooseFile(page, 'mine.csv', 'id\n1\n')
    await page.getByText('This key may not send files.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Send: mine.csv' }).isDisabled())
    assert.ok(await page.getByRole('button', { name: 'Check the whole file: mine.csv' }).isEnabled())
    await page.getByRole('link', { name: 'bad.csv', exact: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^Delete/ }).count(), 0)
    await page.getByRole('link', { name: 'bad.csv', exact: true }).click()
    await page.getByRole('link', { name: 'Fix 1' }).click()
    await page.getByText('This key may not make datasets.').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Edit/ }).count(), 0)
    await page.getByRole('link', { name: 'Read it another way' }).click()
    assert.ok(await page.getByRole('button', { name: 'Read this way' }).isDisabled())
    await page.getByRole('link', { name: 'Datasets', exact: true }).click()
    await page.getByRole('button', { name: 'Forget the key' }).click()

    await enter(page, sender.secret)
    await page.getByText('This key may not read datasets.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'bad.csv', exact: true }).count(), 0)
  })

  it('says before sending that a file or dataset exceeds the quota', async () => {
    await using page = await open()
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await enter(page, everything.secret)
    await keyLine(page).waitFor()
    await chooseFile(page, 'large.csv', `id\n${'12345678\n'.repeat(1_000)}`)
    await page.getByText('This file is too large: the service takes files of at most 8 KB.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Send: large.csv' }).isDisabled())
    await chooseFile(page, 'third.csv', 'id\n3\n')
    await page.getByText('The quota allows no further dataset. Delete one first.').waitFor()
    assert.deepEqual(posts, [])
  })

  it('has no axe violations, in both color schemes, and fits a phone', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 2560]) {
        await using page = await open({ bypassCSP: true, colorScheme, viewport: { width, height: 844 } })
        await page.getByText('This service asks for an API key.').waitFor()
        assert.deepEqual(await axeViolations(page), [], `form, ${colorScheme}, ${width}`)
        await enter(page, everything.secret)
        await keyLine(page).waitFor()
        await chooseFile(page, 'large.csv', `id\n${'12345678\n'.repeat(1_000)}`)
        await page.getByText('This file is too large').waitFor()
        assert.deepEqual(await axeViolations(page), [], `line, ${colorScheme}, ${width}`)
        assert.equal(await overflowOf(page), 0, String(width))
      }
    }
  })
})

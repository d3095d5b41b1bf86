// Tests of unusual files on the page: long names and texts, right-to-left texts, few rows; on a phone, with axe.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { axeViolations, noBrowser, overflowOf, PageBrowser } from '../support/page-browser.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const tabs = ['rows', 'fix', 'sql', 'receipt', 'read'] as const

test('a file with long names, long texts and right-to-left texts fits the list and every tab on a phone', {
  skip: noBrowser,
}, async () => {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(join(scratch.path, 'data'))
  const content = `${'a long column name '.repeat(8)},שם\n${'long text '.repeat(300)},"שלום, 12"\n2,דוד\n3\n`
  const { id } = await new Client(service.url).upload({ content, fileName: `${'x'.repeat(196)}.csv` })
  await using browser = await PageBrowser.launch()
  const options = { viewport: { width: 320, height: 844 }, bypassCSP: true, locale: 'de-DE' }
  {
    await using page = await browser.open(service.url, options)
    await page.getByRole('link', { name: 'xxx' }).waitFor()
    assert.equal(await overflowOf(page), 0, 'list')
    assert.ok(await page.evaluate("document.querySelector('.list').clientWidth <= innerWidth - 32"))
  }
  for (const tab of tabs) {
    await using page = await browser.open(`${service.url}/#/datasets/${id}/${tab}`, options)
    const chosen = page.locator(tab === 'read' ? '.tabs a:first-child' : '.tabs [aria-current=page]')
    await chosen.waitFor()
    await page.getByText('Wird geladen').waitFor({ state: 'detached' })
    assert.ok((await chosen.boundingBox())!.x >= 0, tab)
    assert.ok((await chosen.boundingBox())!.x < 320, tab)
    const lines = await page.evaluate("document.querySelector('h1').clientHeight / 30")
    assert.ok(Number(lines) <= 3, `${lines} lines of heading`)
    assert.equal(await overflowOf(page), 0, tab)
    assert.deepEqual(await axeViolations(page), [], tab)
    if (tab !== 'rows') continue
    assert.ok((await page.locator('.grid-box').boundingBox())!.height < 250)
    // The comma is to the left of the text before it.
    const direction = await page.evaluate(`getComputedStyle(document.querySelector('#cell-0-1')).unicodeBidi`)
    assert.equal(direction, 'plaintext')
  }
})

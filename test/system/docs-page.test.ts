// Tests of the docs pages in a real browser: search, examples, links to errors, by keyboard and on a phone, with axe.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { errorTable } from '../../src/core/errors.ts'
import { axeViolations, noBrowser, overflowOf } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

/** Words in tables that go on in another line. */
const brokenWords = `Array.from(document.querySelectorAll('td, th'), (cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
  const broken = []
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    for (const { 0: word, index } of text.data.matchAll(/[A-Za-z0-9]+/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      if (range.getClientRects().length > 1) broken.push(word)
    }
  return broken
}).flat()`

describe('the page of the routes', { skip: noBrowser }, () => {
  const site = pageSite()

  const open = (options: BrowserContextOptions = {}, path = '/docs') =>
    site.browser.open(site.service.url + path, options)

  it('is found by words, shows examples with the URL of this server, and links to the explanation of each error', async () => {
    await using page = await open()
    await page.getByRole('searchbox', { name: 'Search' }).fill('delete /qas/datasets/{id}')
    const results = page.getByRole('list', { name: 'Found in the docs' })
    await results.getByRole('link', { name: 'API: DELETE /qas/datasets/{id} ' }).first().click()
    await page.waitForURL(/\/docs#deleteDataset$/)
    assert.match(String(await page.locator('.search-status').textContent()), /^\d+ found$/)
    await page.getByRole('searchbox', { name: 'Search' }).fill('')
    await results.waitFor({ state: 'hidden' })
    const example = await page.locator('#uploadCsv ~ pre code').first().textContent()
    assert.equal(example, `curl -F file=@people.csv ${site.service.url}/qas/uploadCsv`)
    await page.getByRole('link', { name: 'NOT_CSV', exact: true }).first().click()
    await page.waitForURL(/\/docs\/errors#NOT_CSV$/)
    const explained = new Set(await page.locator('tr[id] td:first-child').allTextContents())
    assert.deepEqual([...explained].toSorted(), Object.keys(errorTable).toSorted())
  })

  it('has a first link that skips the contents, and folds them on a phone', async () => {
    await using page = await open({ viewport: { width: 390, height: 844 } })
    assert.equal(await page.locator('details.contents').getAttribute('open'), null)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.getByText('Contents').click()
    await page.getByRole('link', { name: 'POST /qas/uploadCsv' }).first().click()
    assert.equal(await page.locator('details.contents').getAttribute('open'), null)
  })

  it('is complete without scripts', async () => {
    await using page = await open({ javaScriptEnabled: false })
    await page.getByRole('link', { name: 'POST /qas/uploadCsv' }).first().click()
    await page.getByRole('heading', { name: 'POST /qas/uploadCsv' }).waitFor()
    await page.getByRole('link', { name: 'NOT_CSV', exact: true }).first().click()
    await page.getByText('What to do').first().waitFor()
  })

  it('has no axe violations and no horizontal scroll, in light and dark, wide and on phones', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [2560, 390, 320]) {
        await using page = await open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        assert.deepEqual(await axeViolations(page), [], `${colorScheme} ${width}`)
        const overflow = await overflowOf(page)
        assert.ok(overflow <= 0, `${overflow} pixels too wide at ${width}`)
      }
  })

  it('has the docs as pages, found by one search, with the URL of this server and links to codes', async () => {
    await using page = await open({}, '/docs/tutorial')
    await page.getByRole('heading', { name: 'Tutorial: from a CSV file to SQL' }).waitFor()
    await page.locator('pre', { hasText: `URL=${site.service.url}` }).waitFor()
    assert.equal(
      await page.getByRole('navigation', { name: 'Docs' }).locator('[aria-current=page]').getAttribute('href'),
      '/docs/tutorial',
    )
    await page.getByRole('searchbox', { name: 'Search' }).fill('QUOTA_EXCEEDED libreoffice')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('leading zeros')
    const results = page.getByRole('list', { name: 'Found in the docs' })
    await results.getByRole('link', { name: 'FAQ: Why is my ID column text?' }).click()
    await page.waitForURL(/\/docs\/faq#why-is-my-id-column-text$/)
    await page.getByRole('searchbox', { name: 'Search' }).fill('API delete a dataset If-Match')
    await results.getByRole('link', { name: 'API: DELETE /qas/datasets/{id} ' }).first().click()
    await page.waitForURL(/\/docs#deleteDataset$/)
    await page.goto(`${site.service.url}/docs/reading`)
    await page.getByRole('link', { name: 'ESCAPE_MIXED' }).first().click()
    await page.waitForURL(/\/docs\/notes#ESCAPE_MIXED$/)
    assert.equal(await page.evaluate("document.querySelector(':target td').textContent"), 'ESCAPE_MIXED')
  })

  it('begins with the tutorial and the routes, and breaks no word of a table', async () => {
    await using page = await open()
    await page.getByRole('link', { name: 'tutorial', exact: true }).waitFor()
    const first = page.locator('main table').first()
    assert.equal(await first.getByRole('link').first().textContent(), 'POST /qas/uploadCsv')
    for (const path of ['/docs', '/docs/errors', '/docs/config', '/docs/metrics', '/docs/notes'])
      for (const width of [320, 800, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(site.service.url + path)
        assert.deepEqual(await page.evaluate(brokenWords), [], `${path} at ${width}`)
      }
  })

  it('folds the contents of every page on a phone, without horizontal scroll and axe violations', async () => {
    for (const [path, width, colorScheme] of [
      ['/docs/tutorial', 320, 'dark'],
      ['/docs/errors', 390, 'light'],
      ['/docs/notes', 320, 'light'],
      ['/docs/decisions/page', 390, 'dark'],
      ['/docs/architecture', 390, 'light'],
      ['/docs/benchmarks', 320, 'dark'],
      ['/docs/corpora', 390, 'dark'],
      ['/docs/comparison', 320, 'light'],
      ['/docs/engines', 2560, 'light'],
      ['/docs/faq', 2560, 'dark'],
    ] as const) {
      await using page = await open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true }, path)
      assert.equal(await page.locator('details.contents').getAttribute('open'), width > 960 ? '' : null)
      assert.deepEqual(await axeViolations(page), [], `${path} ${colorScheme} ${width}`)
      const overflow = await overflowOf(page)
      assert.ok(overflow <= 0, `${path}: ${overflow} pixels too wide at ${width}`)
    }
  })
})

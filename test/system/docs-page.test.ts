// The page of the routes in a real browser: search, examples, links to errors, by keyboard and on a phone; checked by axe.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { errorTable } from '../../src/core/errors.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const axeRun = `axe.run({ runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
const overflowOf = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe('the page of the routes', { skip: program === undefined && 'there is no Chromium at a usual path' }, () => {
  let service: RunningService
  let browser: Browser
  const closing = new AsyncDisposableStack()

  before(async () => {
    const scratch = closing.use(await scratchDir())
    service = closing.use(await RunningService.start(join(scratch.path, 'data')))
    browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox', '--disable-gpu'] })
    closing.defer(() => browser.close())
  })
  after(() => closing.disposeAsync())

  /** The page in a context of its own; an error in it fails the test. */
  async function open(options: BrowserContextOptions = {}): Promise<Page & AsyncDisposable> {
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(`${service.url}/docs`)
    return Object.assign(page, {
      [Symbol.asyncDispose]: async () => {
        await context.close()
        assert.deepEqual(errors, [])
      },
    })
  }

  it('finds sections by words, writes examples with the address of this server, and explains every error', async () => {
    await using page = await open()
    await page.getByRole('searchbox', { name: 'Search' }).fill('delete /qas/datasets/{id}')
    await page.getByRole('heading', { name: 'DELETE /qas/datasets/{id}' }).waitFor()
    await page.getByRole('heading', { name: 'POST /qas/uploadCsv' }).waitFor({ state: 'hidden' })
    assert.match(String(await page.locator('.search-status').textContent()), /^\d+ of \d+ sections$/)
    await page.getByRole('searchbox', { name: 'Search' }).fill('')
    const example = await page.locator('#uploadCsv ~ pre code').first().textContent()
    assert.equal(example, `curl -F file=@people.csv ${service.url}/qas/uploadCsv`)
    await page.getByRole('link', { name: 'NOT_CSV', exact: true }).first().click()
    assert.match(page.url(), /#error-NOT_CSV$/)
    const codes = await page.locator('tr[id^="error-"] td:first-child').allTextContents()
    assert.deepEqual(codes, Object.keys(errorTable))
  })

  it('leads past the contents by its first link, and folds them on a phone', async () => {
    await using page = await open({ viewport: { width: 390, height: 844 } })
    assert.equal(await page.locator('details.contents').getAttribute('open'), null)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.getByText('Contents').click()
    await page.getByRole('link', { name: 'POST /qas/uploadCsv' }).click()
    assert.equal(await page.locator('details.contents').getAttribute('open'), null)
  })

  it('is complete without scripts', async () => {
    await using page = await open({ javaScriptEnabled: false })
    await page.getByRole('link', { name: 'POST /qas/uploadCsv' }).click()
    await page.getByRole('heading', { name: 'POST /qas/uploadCsv' }).waitFor()
    await page.getByText('What to do').waitFor()
  })

  it('has no fault that axe finds and no sideways scroll, in light and dark, wide and on phones', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390, 320]) {
        await using page = await open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        await page.evaluate(axe)
        assert.deepEqual(await page.evaluate(axeRun), [], `${colorScheme} ${width}`)
        const overflow = Number(await page.evaluate(overflowOf))
        assert.ok(overflow <= 0, `${overflow} pixels too wide at ${width}`)
      }
  })
})

// Tests of the docs pages in a real browser: search, examples, links to errors, by keyboard and on a phone, with axe.
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

describe('the page of the routes', { skip: program === undefined && 'no Chromium found at the usual paths' }, () => {
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

  /** Opens the page in its own context; an error on it fails the test. */
  async function open(options: BrowserContextOptions = {}, path = '/docs'): Promise<Page & AsyncDisposable> {
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.goto(service.url + path)
    return Object.assign(page, {
      [Symbol.asyncDispose]: async () => {
        await context.close()
        assert.deepEqual(errors, [])
      },
    })
  }

  it('finds sections by words, shows examples with the URL of this server, and explains every error', async () => {
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

  it('has a first link that skips the contents, and folds them on a phone', async () => {
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

  it('has no axe violations and no horizontal scroll, in light and dark, wide and on phones', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [2560, 390, 320]) {
        await using page = await open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        await page.evaluate(axe)
        assert.deepEqual(await page.evaluate(axeRun), [], `${colorScheme} ${width}`)
        const overflow = Number(await page.evaluate(overflowOf))
        assert.ok(overflow <= 0, `${overflow} pixels too wide at ${width}`)
      }
  })

  it('has the docs as pages, found by one search, with the URL of this server and links to codes', async () => {
    await using page = await open({}, '/docs/tutorial')
    await page.getByRole('heading', { name: 'Tutorial: from a CSV file to SQL' }).waitFor()
    await page.locator('pre', { hasText: `URL=${service.url}` }).waitFor()
    assert.equal(await page.locator('nav [aria-current=page]').getAttribute('href'), '/docs/tutorial')
    await page.getByRole('searchbox', { name: 'Search' }).fill('QUOTA_EXCEEDED whoami')
    await page.getByText('Nothing found').waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('leading zeros')
    const results = page.getByRole('list', { name: 'Found in the docs' })
    await results.getByRole('link', { name: 'FAQ: Why is my ID column text?' }).click()
    await page.waitForURL(/\/docs\/faq#why-is-my-id-column-text$/)
    await page.getByRole('searchbox', { name: 'Search' }).fill('API delete a dataset If-Match')
    await results.getByRole('link', { name: 'API: DELETE /qas/datasets/{id}' }).click()
    await page.waitForURL(/\/docs#deleteDataset$/)
    await page.goto(`${service.url}/docs/reading`)
    await page.getByRole('link', { name: 'ESCAPE_MIXED' }).first().click()
    await page.waitForURL(/\/docs\/notes#ESCAPE_MIXED$/)
    assert.equal(await page.evaluate("document.querySelector(':target td').textContent"), 'ESCAPE_MIXED')
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
      await page.evaluate(axe)
      assert.deepEqual(await page.evaluate(axeRun), [], `${path} ${colorScheme} ${width}`)
      const overflow = Number(await page.evaluate(overflowOf))
      assert.ok(overflow <= 0, `${path}: ${overflow} pixels too wide at ${width}`)
    }
  })
})

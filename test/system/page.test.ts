// The page in a real browser, as people use it: by mouse, by keyboard, on a phone, in both color schemes; checked by axe.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { RunningService, scratchDir } from '../support/running-service.ts'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const quietFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const axeRun = `axe.run({ runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
const overflowOf = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const orders = 'order,customer,amount\n00017,"Lovelace, Ada",12.50\n00018,,7.25\n00019,""\n'
const hostile = [
  '<img src=x onerror=ran()>',
  '"><script>ran()</script>',
  "';ran();'",
  'javascript:ran()',
  '{{ran()}}',
  '\u202Enar',
]

describe('the page', { skip: program === undefined && 'there is no Chromium at a usual path' }, () => {
  let service: RunningService
  let browser: Browser
  const closing = new AsyncDisposableStack()

  before(async () => {
    const scratch = closing.use(await scratchDir())
    service = closing.use(await RunningService.start(join(scratch.path, 'data')))
    browser = await chromium.launch({ executablePath: program!, args: quietFlags })
    closing.defer(() => browser.close())
  })
  after(() => closing.disposeAsync())

  /** A page in a context of its own; an error in it fails the test. */
  async function open(options: BrowserContextOptions = {}, path = '/'): Promise<Page & AsyncDisposable> {
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    // A refused request is an error to the console, and some are refused here on purpose.
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        errors.push(message.text())
    })
    await page.goto(service.url + path)
    return Object.assign(page, {
      [Symbol.asyncDispose]: async () => {
        await context.close()
        assert.deepEqual(errors, [])
      },
    })
  }

  const upload = (page: Page, name: string, content: string) =>
    page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(content) })

  it('takes files, shows what became of them, and every tab of a dataset', async () => {
    await using page = await open()
    await upload(page, 'orders.csv', orders)
    await page.getByRole('link', { name: '2 of 3 records accepted; 1 rejected' }).click()
    await page.getByRole('heading', { name: 'orders.csv' }).waitFor()
    await page.getByText('text: 2 of 2 values have leading zeros (records 1, 2)').waitFor()
    await page.getByRole('link', { name: 'Rows' }).click()
    await page
      .getByRole('gridcell', { name: 'Lovelace, Ada' })
      .or(page.locator('td', { hasText: 'Lovelace, Ada' }))
      .first()
      .waitFor()
    assert.equal(await page.locator('td .null', { hasText: 'null' }).count(), 1)
    await page.getByRole('link', { name: 'Rejects (1)' }).click()
    await page.getByText('00019,""').waitFor()
    await page.getByRole('link', { name: 'Columns' }).click()
    await page.getByRole('heading', { name: /^amount/ }).waitFor()
    await page.getByRole('link', { name: 'SQL' }).click()
    await page.getByLabel('SQL').fill('SELECT sum(amount) AS total FROM data')
    await page.getByLabel('SQL').press('Control+Enter')
    await page.getByRole('cell', { name: '19.75' }).waitFor()
    await page.getByLabel('SQL').fill('SELECT nothing FROM data')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').filter({ hasText: 'nothing' }).waitFor()
    await page.getByRole('link', { name: 'Read another way' }).click()
    await page.getByLabel('Delimiter').selectOption(';')
    await page.getByRole('button', { name: 'Read this way' }).click()
    await page.getByText('4 of 4 records accepted').or(page.getByText('3 of 3 records accepted')).first().waitFor()
  })

  it('takes several files at once, dropped and pasted ones, and says what cannot be CSV before it is sent', async () => {
    await using page = await open()
    const file = (name: string, content: string | Buffer) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(content),
    })
    const workbook = Buffer.from('504b0304140006000800', 'hex')
    await page.setInputFiles('input[type=file]', [
      file('one.csv', 'a,b\n1,2\n'),
      file('book.csv', workbook),
      file('empty.csv', ''),
    ])
    await page.getByText('This looks like an Excel workbook').waitFor()
    await page.getByText('This file is empty.').waitFor()
    await page.getByRole('link', { name: '1 of 1 records accepted; 0 rejected' }).waitFor()

    await page.evaluate(`
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x,y\\n1,2\\n3,4\\n'], 'dropped.csv'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))`)
    await page.getByRole('link', { name: 'dropped.csv' }).waitFor()
    await page.evaluate(`
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', 'p,q\\n5,6\\n')
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))`)
    await page.getByRole('link', { name: 'pasted.csv' }).waitFor()
  })

  it('scrolls through a hundred thousand rows by mouse and by keyboard', async () => {
    await using page = await open()
    const rows = Array.from({ length: 100_000 }, (_, index) => `${index + 1},row ${index + 1}`)
    await upload(page, 'long.csv', `n,name\n${rows.join('\n')}\n`)
    await page.getByRole('link', { name: '100,000 of 100,000 records accepted; 0 rejected' }).click()
    await page.getByRole('link', { name: 'Rows' }).click()
    await page.locator('td', { hasText: /^row 1$/ }).waitFor()
    await page.getByRole('grid').press('Control+End')
    await page.locator('td', { hasText: 'row 100000' }).waitFor()
    await page.getByLabel('Go to row').fill('50000')
    await page.getByLabel('Go to row').press('Enter')
    await page.locator('td', { hasText: 'row 50000' }).waitFor()
    assert.ok((await page.getByRole('row').count()) < 40)
  })

  it('never runs what a name or a cell holds', async () => {
    await using page = await open()
    await page.evaluate(() => Object.assign(globalThis, { runs: 0, ran: () => Object.assign(globalThis, { runs: 1 }) }))
    const cells = hostile.map((text) => `"${text.replaceAll('"', '""')}",1`).join('\n')
    await upload(page, `${hostile[0]}.csv`, `"${hostile[1]!.replaceAll('"', '""')}",n\n${cells}\n`)
    await page.getByRole('link', { name: '6 of 6 records accepted; 0 rejected' }).click()
    for (const tab of ['Rows', 'Columns', 'SQL', 'Receipt']) {
      await page.getByRole('link', { name: tab, exact: true }).click()
      await page.waitForLoadState('networkidle')
    }
    assert.equal(await page.evaluate(() => (globalThis as { runs?: number }).runs), 0)
  })

  it('deletes a dataset only after some seconds, in which it can be undone', async () => {
    await using page = await open()
    await upload(page, 'keep.csv', 'k\n1\n2\n')
    await page.getByRole('button', { name: 'Delete dataset: keep.csv' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'keep.csv' }).waitFor()
  })

  it('has no fault that axe finds, on any view, in light and dark, wide and on a phone', async () => {
    const sent = new FormData()
    sent.append('file', new Blob([orders]), 'orders.csv')
    const { id } = (await (await fetch(`${service.url}/qas/uploadCsv`, { method: 'POST', body: sent })).json()) as {
      id: string
    }
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 390]) {
        await using page = await open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        for (const view of [
          '',
          ...['', '/rows', '/rejects', '/columns', '/sql', '/read'].map((tab) => `#/datasets/${id}${tab}`),
        ]) {
          await page.goto(`${service.url}/${view}`)
          await page.getByRole('heading').first().waitFor()
          await page.waitForLoadState('networkidle')
          await page.evaluate(axe)
          const violations = await page.evaluate(axeRun)
          assert.deepEqual(violations, [], `${view} ${colorScheme} ${width}`)
          const overflow = Number(await page.evaluate(overflowOf))
          assert.ok(overflow <= 0, `${view} is ${overflow} pixels too wide at ${width}`)
        }
      }
  })

  it('works without JavaScript as a plain form', async () => {
    await using page = await open({ javaScriptEnabled: false })
    await page.setInputFiles('input[type=file]', {
      name: 'plain.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a,b\n1,2\n'),
    })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('"duplicate"').waitFor()
  })
})

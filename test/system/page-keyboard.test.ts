// Tests of the page by keyboard alone: every function is reached by Tab and used with keys.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { chooseFile, noBrowser } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

/** More focusable elements than any view has. */
const tabsMax = 150

/** Presses Tab until an element has the focus. */
async function reach(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor()
  for (let tabs = 0; tabs <= tabsMax; tabs += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${wanted} is not reached by Tab`)
}

async function press(page: Page, wanted: Locator, key = 'Enter'): Promise<void> {
  await reach(page, wanted)
  await page.keyboard.press(key)
}

/** Presses ArrowDown on a choice until it has a value. */
async function choose(page: Page, wanted: Locator, value: string): Promise<void> {
  await reach(page, wanted)
  for (let presses = 0; (await wanted.inputValue()) !== value; presses += 1) {
    assert.ok(presses < tabsMax, `${value} is not reached by ArrowDown`)
    await page.keyboard.press('ArrowDown')
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name })

describe('the page by keyboard alone', { skip: noBrowser }, () => {
  const site = pageSite()

  const open = (path = '/') => site.browser.open(site.service.url + path)

  it('chooses files, sets how one is read, checks it, removes another, and sends them', async () => {
    await using page = await open()
    const files = ['one.csv', 'two.csv', 'three.csv'].map((name) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(`id;text\n1;${name}\n2\n`),
    }))
    page.on('filechooser', (chooser) => void chooser.setFiles(files))
    await press(page, page.getByLabel('Choose files'))
    await page.getByRole('region', { name: 'Preview: two.csv' }).getByRole('cell', { name: 'two.csv' }).waitFor()
    await press(page, button(page, 'Remove: one.csv'))
    const two = page.locator('.ready', { hasText: 'two.csv' })
    await press(page, two.locator('summary', { hasText: 'Change how it is read' }))
    await choose(page, two.getByRole('combobox', { name: 'Header' }), 'no')
    await two.getByText('without header').waitFor()
    await press(page, button(page, 'Check the whole file: two.csv'))
    await two.getByText(/ 2 rows \+ 1 rejected/).waitFor()
    await press(page, button(page, 'Send all 2'))
    await link(page, '2 rows, 1 rejected').waitFor()
    await press(page, link(page, '1 row, 1 rejected'))
    await page.getByRole('heading', { name: 'three.csv' }).waitFor()
  })

  it('pauses, resumes and cancels an upload, and keeps the focus on it', async () => {
    await using page = await open()
    // Holds the bytes until they are released.
    const held: (() => void)[] = []
    await page.route('**/qas/uploads/*', (route) => {
      if (route.request().method() === 'PATCH') held.push(() => void route.continue())
      else void route.continue()
    })
    const content = `id,text\n${`1,${'x'.repeat(98)}\n`.repeat(20_000)}`
    await chooseFile(page, 'large.csv', content)
    await press(page, button(page, 'Send: large.csv'))
    await press(page, button(page, 'Pause: large.csv'))
    await page.getByText(/paused$/).waitFor()
    const focused = page.locator(':focus')
    assert.match(String(await focused.textContent()), /large\.csv/)
    await page.keyboard.press('Tab')
    assert.equal(await focused.getAttribute('aria-label'), 'Resume: large.csv')
    await page.unroute('**/qas/uploads/*')
    await page.keyboard.press('Enter')
    await link(page, '20,000 rows, 0 rejected').waitFor()

    await page.route('**/qas/uploads/*', (route) =>
      route.request().method() === 'PATCH' ? held.push(() => void route.continue()) : void route.continue(),
    )
    const other = Buffer.from(content.replaceAll('x', 'y'))
    await page.setInputFiles('input[type=file]', { name: 'other.csv', mimeType: 'text/csv', buffer: other })
    await press(page, button(page, 'Send: other.csv'))
    await button(page, 'Pause: other.csv').waitFor()
    await press(page, button(page, 'Cancel: other.csv'))
    await page.getByText('cancelled', { exact: true }).waitFor()
    await press(page, button(page, 'Remove: other.csv'))
    await page.locator('.tray', { hasText: 'other.csv' }).waitFor({ state: 'detached' })
  })

  it('corrects a reject in place, and sends it', async () => {
    const { id } = await site.client.upload({ content: 'id,name\n1,Ada\n2\n3,Bob\n', fileName: 'fix.csv' })
    await using page = await open(`/#/datasets/${id}`)
    await press(page, link(page, 'Fix 1'))
    await press(page, button(page, 'Edit: Line 3'))
    await page.keyboard.press('End')
    await page.keyboard.type(',Cleo')
    // Without waiting until it has been read.
    await page.keyboard.press('Control+Enter')
    await page.getByText('4 records = 1 header + 3 rows + 0 rejected').waitFor()
  })

  it('reads another way, and opens that reading', async () => {
    const { id } = await site.client.upload({ content: 'id,name\n1,Ada\n2,Bob\n', fileName: 'ways.csv' })
    await using page = await open(`/#/datasets/${id}/read`)
    await choose(page, page.getByRole('combobox', { name: 'Header' }), 'no')
    await press(page, button(page, 'Read this way'))
    await page.getByText('3 records = 3 rows + 0 rejected').last().waitFor()
    await press(page, link(page, 'Open this reading'))
    await page.getByRole('gridcell', { name: 'Ada' }).waitFor()
  })

  it('opens the inspector of a column, filters by a value, sorts and reads a cell', async () => {
    const records = Array.from({ length: 300 }, (_, index) => `${index + 1},${['red', 'green', 'blue'][index % 3]}`)
    const { id } = await site.client.upload({ content: `id,color\n${records.join('\n')}\n`, fileName: 'colors.csv' })
    await using page = await open(`/#/datasets/${id}`)
    await press(page, page.getByRole('grid'), 'ArrowRight')
    await page.keyboard.press('Alt+ArrowDown')
    const values = page.getByRole('list', { name: 'Values' })
    await press(page, values.getByRole('button', { name: 'green 100' }))
    await page.getByText('100 of 300 rows').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await page.locator('th.cursor', { hasText: 'id' }).waitFor()
    // Faster than the browser tells of a new address.
    await page.evaluate(`(async () => {
      for (let presses = 0; presses < 2; presses += 1) {
        const press = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })
        document.activeElement.dispatchEvent(press)
        for (let turns = 0; turns < 10; turns += 1) await null
      }
    })()`)
    await page.keyboard.press('ArrowDown')
    await page.locator('td.cursor', { hasText: /^299$/ }).waitFor()
  })

  it('sends the chosen file by Enter, and not by Space', async () => {
    await using page = await open()
    await chooseFile(page, 'spaced.csv', 'a,b\n1,2\n')
    const preview = page.getByRole('region', { name: 'Preview: spaced.csv' })
    await preview.getByRole('cell', { name: '2' }).waitFor()
    await page.keyboard.press('Space')
    // Drawn twice, so that whatever the key has changed is shown.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    assert.ok(await preview.isVisible())
    await page.keyboard.press('Enter')
    await link(page, '1 row, 0 rejected').waitFor()
  })

  it('selects all cells of the rows, in view or not', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `${index},x`)
    const { id } = await site.client.upload({ content: `n,text\n${lines.join('\n')}\n`, fileName: 'all.csv' })
    await using page = await open(`/#/datasets/${id}/rows`)
    await press(page, page.getByRole('grid'), 'Control+a')
    await page.locator('#cell-0-1[aria-selected=true]').waitFor()
    await page.keyboard.press('Shift+Control+End')
    await page.locator('#cell-299-1[aria-selected=true]').waitFor()
    assert.equal(await page.locator('[aria-selected=true]').count(), 1)
  })

  it('types a statement and runs it, and opens an earlier one', async () => {
    const { id } = await site.client.upload({ content: 'region,amount\nnorth,1\nsouth,2\n', fileName: 'sums.csv' })
    await using page = await open(`/#/datasets/${id}/sql`)
    await reach(page, page.getByLabel('SQL', { exact: true }))
    await page.keyboard.press('Control+a')
    await page.keyboard.type('SELECT region FROM data ORDER BY amount DESC ')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('gridcell', { name: 'south' }).waitFor()
    await press(page, page.getByRole('button', { name: /SELECT region FROM data/ }))
    await page.getByText(/^2 rows in/).waitFor()
  })

  it('deletes a dataset, undoes it immediately, and finds a word in the docs', async () => {
    await site.client.upload({ content: 'k\n1\n2\n3\n', fileName: 'keep.csv' })
    await using page = await open()
    await press(page, page.getByLabel('Select keep.csv'), 'Space')
    await press(page, button(page, 'Delete'))
    await press(page, button(page, 'Put back'))
    await link(page, 'keep.csv').waitFor()
    await page.evaluate('document.activeElement.blur()')
    await press(page, link(page, 'Docs'))
    await page.waitForURL(/\/docs\/tutorial/)
    await reach(page, page.getByRole('searchbox', { name: 'Search' }))
    await page.keyboard.type('leading zeros')
    await press(page, page.locator('.results a').first())
    await page.waitForURL((url) => url.hash !== '')
  })
})

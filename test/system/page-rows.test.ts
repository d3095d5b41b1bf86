// Tests of the rows of a dataset on the page: what scrolls, sorts, filters, finds, selects and copies them, and the
// inspector of a column.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { axeViolations, noBrowser } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'
import { csvText } from '../support/samples.ts'

const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] }

describe('the rows of a dataset on the page', { skip: noBrowser }, () => {
  const site = pageSite()
  let cities: string

  before(async () => {
    const content = csvText('id,city,n,day,note', 5_000, (row) =>
      [
        row + 1,
        `"city ${row % 7}, north"`,
        `${(row * 37) % 1_000}.50`,
        `2026-03-0${1 + (row % 9)}`,
        row % 2 ? 'x' : '',
      ].join(),
    )
    const { id } = await site.client.upload({ content, fileName: 'cities.csv' })
    cities = id
  })

  const open = (id: string, options: BrowserContextOptions = {}) =>
    site.browser.open(`${site.service.url}/#/datasets/${id}`, options)
  const cursor = (page: Page, text: RegExp) => page.locator('td.cursor', { hasText: text }).waitFor()
  const cellAt = (page: Page, row: number, column: number) => page.locator(`#cell-${row}-${column}`)

  it('scrolls through a hundred thousand rows by mouse and by keyboard', async () => {
    const content = csvText('n,name', 100_000, (row) => `${row + 1},row ${row + 1}`)
    const { id } = await site.client.upload(content)
    await using page = await open(id)
    await page.locator('td', { hasText: /^row 1$/ }).waitFor()
    await page.evaluate("globalThis.firstRows = [...document.querySelectorAll('.grid tbody tr')]")
    await page.getByRole('grid').press('Control+End')
    await page.locator('td', { hasText: 'row 100000' }).waitFor()
    const kept = 'firstRows.filter((row) => row.isConnected).length'
    // At the end there may be one row fewer, since elsewhere two rows may be partly in view.
    assert.ok(Number(await page.evaluate(kept)) >= Number(await page.evaluate('firstRows.length')) - 2, 'others come')
    await page.getByLabel('Go to row').fill('50000')
    await page.getByLabel('Go to row').press('Enter')
    await page.locator('td', { hasText: 'row 50000' }).waitFor()
    await page.evaluate("document.querySelector('.grid-box').scrollTop = 28 * 70 + 9")
    await page.locator('td', { hasText: /^row 71$/ }).waitFor()
    const [head, row] = [await page.locator('thead th').first().boundingBox(), await cellAt(page, 70, 0).boundingBox()]
    assert.equal(Math.round(head!.y + head!.height - row!.y), 9, 'by pixels')
    assert.ok((await page.getByRole('row').count()) < 40)
  })

  it('sorts, filters and finds rows, copies them for spreadsheets, and keeps the view in the address', async () => {
    await using page = await open(cities, clipboard)
    await page.getByText('5,000 rows', { exact: true }).waitFor()
    await page.getByLabel('Find a column').fill('CIT')
    await page.getByLabel('Find a column').press('Enter')
    await cursor(page, /city 0/)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Value to look for').fill('CITY 3')
    await page.getByLabel('Value to look for').press('Enter')
    await page.getByText('714 of 5,000 rows').waitFor()
    await page.getByRole('button', { name: 'n', exact: true }).click()
    await page.getByRole('button', { name: 'n', exact: true }).click()
    await page.getByRole('columnheader', { name: 'n decimal' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await page
      .locator('td', { hasText: /^999\.50$/ })
      .first()
      .waitFor()
    const address = page.url()

    // The row number is that in the file, whatever the order.
    const row = page.locator('tbody tr').first()
    const [number, id] = [await row.locator('th').textContent(), await cellAt(page, 0, 0).textContent()]
    assert.equal(number?.replaceAll(',', ''), id)

    await cellAt(page, 0, 0).click()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Control+c')
    await page.getByText('Copied 2 rows.').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.match(copied, /^\d+\tcity 3, north\n\d+\tcity 3, north$/)

    await page.goto('about:blank')
    await page.goto(address)
    await page.getByText('714 of 5,000 rows').waitFor()
    await page.getByRole('button', { name: 'Remove filter: city contains CITY 3' }).click()
    await page.getByText('5,000 rows', { exact: true }).waitFor()

    await page.getByLabel('Value to look for').fill('nowhere')
    await page.getByLabel('Value to look for').press('Enter')
    await page.getByText('Even alone, no row fits: city contains nowhere.').waitFor()
  })

  it('shows all that is known of a column, and filters by dragging over its plot or by two fields alike', async () => {
    await using page = await open(cities, { bypassCSP: true })
    await page.getByRole('button', { name: /^n: 0\.5, 999\.5\. / }).click()
    const inspector = page.getByRole('complementary', { name: 'Column n' })
    await inspector.getByText('all 5,000 values are numbers').waitFor()
    await inspector.getByText('2,500,000', { exact: true }).waitFor()
    const plot = (await inspector.getByRole('img').boundingBox())!
    await page.mouse.move(plot.x + plot.width * 0.25, plot.y + 20)
    await page.mouse.down()
    await page.mouse.move(plot.x + plot.width * 0.35, plot.y + 20)
    await page.mouse.up()
    const dragged = await page.locator('.chip.on').innerText()
    assert.match(dragged, /^n 200\.3\d* – 400\.1\d*$/)
    await page.getByText(/^1,\d+ of 5,000 rows$/).waitFor()
    // What matches is drawn in front of all rows, in the other columns, too.
    await page
      .getByRole('button', { name: /^day: / })
      .locator('path')
      .nth(1)
      .waitFor()
    assert.deepEqual(await axeViolations(page), [])
    const [from = '', to = ''] = dragged.slice(2).split(' – ')
    assert.equal(await inspector.getByRole('textbox', { name: 'From', exact: true }).inputValue(), from)
    await inspector.getByRole('textbox', { name: 'From', exact: true }).fill('10.5')
    await inspector.getByRole('textbox', { name: 'From', exact: true }).press('Enter')
    await page.getByText(`n 10.5 – ${to}`).waitFor()
    await inspector.getByRole('textbox', { name: 'To', exact: true }).fill('none')
    await inspector.getByRole('textbox', { name: 'To', exact: true }).press('Enter')
    await inspector.locator('[aria-invalid=true]').waitFor()
    await inspector.getByText('Enter a number, such as 12.5.').waitFor()
    await inspector.getByRole('textbox', { name: 'To', exact: true }).fill('10')
    await inspector.getByText('From lies after To.').waitFor()
    await inspector.getByLabel('Value to look for').fill('many')
    await inspector.getByLabel('Value to look for').press('Enter')
    await inspector.locator('[aria-label="Value to look for"][aria-invalid=true]').waitFor()
    await inspector.getByText('Enter a number, such as 12.5.').waitFor()
    await inspector.getByRole('textbox', { name: 'From', exact: true }).fill('')
    await inspector.getByRole('textbox', { name: 'To', exact: true }).fill('10.5')
    await inspector.getByRole('textbox', { name: 'To', exact: true }).press('Enter')
    await page.getByText('n ≤ 10.5').waitFor()
    await page.getByText('55 of 5,000 rows').waitFor()

    await page.getByRole('button', { name: /^city: / }).click()
    await page.getByRole('button', { name: 'city 1, north 715' }).click()
    await page.getByRole('button', { name: 'city 5, north 714' }).click()
    await page.getByText('city is city 1, north or city 5, north').waitFor()
    await page.getByText('2 of 7', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('columnheader', { name: /^city/ }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: '4 of 5 columns' }).click()
    await page.getByRole('checkbox', { name: 'city' }).check()
    await page.getByRole('columnheader', { name: /^city/ }).waitFor()
  })

  it('leads from a column to another reading of the file with another type of it', async () => {
    await using page = await open(cities)
    await page.getByRole('button', { name: /^n: / }).click()
    await page.getByRole('link', { name: 'Change type' }).click()
    const type = page.getByRole('combobox', { name: 'Type of n', exact: true })
    await type.and(page.locator(':focus')).waitFor()
    await type.selectOption({ label: 'text' })
    await page.getByRole('button', { name: 'Read this way' }).click()
    await page.getByRole('link', { name: 'Open this reading' }).click()
    await page.getByRole('columnheader', { name: 'n text' }).waitFor()
  })

  it('has its own keys, and only while it has the focus', async () => {
    const { id } = await site.client.upload(`name,long\nshort,${'x'.repeat(999_000)}end\n  padded ,""\n`)
    await using page = await open(id)
    const grid = page.getByRole('grid')
    await cellAt(page, 0, 0).click()
    await page.keyboard.press('ArrowRight')
    await page.locator('td.cursor[data-size="975.6 KB"]').waitFor()
    assert.ok((await cellAt(page, 0, 1).innerText()).length < 1_000, 'it is cut')
    assert.deepEqual(await page.locator('#cell-1-0, #cell-1-1').allInnerTexts(), ['··padded·', '""'])
    await page.keyboard.press('Space')
    const whole = page.getByRole('region', { name: 'Whole value' })
    assert.equal((await whole.innerText()).length, 999_003)
    await page.keyboard.press('Escape')
    await whole.waitFor({ state: 'detached' })
    assert.ok(await grid.evaluate((element) => element === element.ownerDocument.activeElement))

    await page.keyboard.press('ArrowUp')
    await page.locator('th.cursor', { hasText: 'long' }).waitFor()
    assert.equal(await grid.getAttribute('aria-activedescendant'), 'head-1')
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByRole('complementary', { name: 'Column long' }).waitFor()
    assert.equal(await page.locator(':focus').innerText(), 'long')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.locator('[aria-sort=ascending]', { hasText: 'name' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await cursor(page, /padded/)
    await page.keyboard.press('f')
    await page.getByText('1 of 2 rows').waitFor()
    await page.keyboard.press('g')
    assert.equal(await page.locator(':focus').getAttribute('aria-label'), 'Go to row')
    await grid.focus()
    await page.keyboard.press('/')
    await page.keyboard.type('fg/')
    assert.equal(await page.locator(':focus').inputValue(), 'fg/')
    await grid.focus()
    await page.keyboard.press('Tab')
    assert.ok(await grid.evaluate((element) => !element.contains(element.ownerDocument.activeElement)), 'Tab leaves')
  })

  it('selects by dragging, and sums what is selected, in view or not', async () => {
    await using page = await open(cities, clipboard)
    await cellAt(page, 1, 1).hover()
    await page.mouse.down()
    await cellAt(page, 3, 2).hover()
    await page.mouse.up()
    assert.equal(await page.locator('td.selected').count(), 6)
    await page.getByText('6 cells: sum 223.5, mean 74.5').waitFor()
    assert.equal(await page.evaluate('String(getSelection())'), '')
    await page.keyboard.press('Control+a')
    await page.getByText('25,000 cells: sum 15,002,500, mean 1,500.25').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByText(/cells/).waitFor({ state: 'detached' })
  })

  it('shows the heads first, and moves nothing while cells and plots arrive', async () => {
    await using page = await open(cities)
    await cellAt(page, 0, 0).filter({ hasText: '1' }).waitFor()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    for (const path of ['**/rows?*', '**/profile']) await page.route(path, (route) => held.then(() => route.continue()))
    await page.reload()
    await page.getByRole('columnheader', { name: 'city text' }).waitFor()
    const boxes = async () => {
      const found = []
      for (const one of await page.locator('thead th, #cell-3-1, .grid-foot').all()) found.push(await one.boundingBox())
      return found
    }
    const before = await boxes()
    release()
    await cellAt(page, 3, 1).filter({ hasText: 'city 3' }).waitFor()
    await page
      .getByRole('button', { name: /^n: 0\.5/ })
      .locator('path')
      .waitFor()
    assert.deepEqual(await boxes(), before)
  })

  it('says that plots of what matches are from a sample of a large table', async () => {
    await using page = await site.browser.open(site.service.url)
    await page.route(`**/qas/datasets/${cities}`, async (route) => {
      const receipt = await (await route.fetch()).json()
      await route.fulfill({ json: { ...receipt, records: { ...receipt.records, accepted: 2_000_000 } } })
    })
    const view = { filters: [{ column: 'n', operator: '>=', values: ['500'] }] }
    await page.goto(`${site.service.url}/#/datasets/${cities}/rows?${encodeURIComponent(JSON.stringify(view))}`)
    await page.getByText('Plots of what matches: from a tenth of the rows').waitFor()
  })
})

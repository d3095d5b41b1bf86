// Tests of wide tables on the page: of a thousand columns, only those in view exist, and every cell can be reached.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { axeViolations, noBrowser, overflowOf } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'
import { csvText } from '../support/samples.ts'

const columns = Array.from({ length: 1_000 }, (_, index) => `c${index + 1}`)

describe('a table of 1,000 columns on the page', { skip: noBrowser }, () => {
  const site = pageSite()
  let path: string

  before(async () => {
    const content = csvText(columns.join(','), 300, (row) => columns.map((name) => `${name} r${row + 1}`).join(','))
    const { id } = await site.client.upload(content)
    path = `${site.service.url}/#/datasets/${id}/rows`
  })

  it('has few cells at once, and each can be reached by keyboard, by name and by scrolling', async () => {
    await using page = await site.browser.open(path)
    const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true })
    await cell('c1 r1').waitFor()
    assert.ok((await page.locator('.grid td').count()) < 500)
    await page.getByRole('grid').press('End')
    await page.locator('td.cursor', { hasText: /^c1000 r1$/ }).waitFor()
    await page.getByRole('columnheader', { name: 'c1000 text' }).waitFor()
    await page.getByRole('grid').press('Control+End')
    await page.locator('td.cursor', { hasText: /^c1000 r300$/ }).waitFor()
    await page.getByLabel('Find a column').fill('c250')
    await page.getByLabel('Find a column').press('Enter')
    await page.locator('td.cursor', { hasText: /^c250 r300$/ }).waitFor()
    const active = page.locator('td.cursor')
    assert.equal(await active.getAttribute('aria-colindex'), '251')
    const [found, view] = [await active.boundingBox(), await page.locator('.grid-box').boundingBox()]
    assert.ok(found!.x >= view!.x && found!.x + found!.width <= view!.x + view!.width, 'all of it is in view')
    await page.getByRole('grid').press('ArrowRight')
    await page.locator('td.cursor', { hasText: /^c251 r300$/ }).waitFor()
    await page.evaluate("document.querySelector('.grid-box').scrollTo(100 * 160, 0)")
    await cell('c101 r1').waitFor()
    assert.ok((await page.locator('.grid td').count()) < 500)
  })

  it('shows more rows in a tall window, more columns in a wide one, and fewer again in a small one', async () => {
    await using page = await site.browser.open(path, { viewport: { width: 2560, height: 1440 } })
    const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true })
    const view = page.locator('.grid-box')
    await cell('c14 r34').waitFor()
    const box = await view.boundingBox()
    assert.ok(box!.width === 2560 && box!.height > 1000 && box!.y + box!.height < 1440, JSON.stringify(box))
    await page.getByRole('grid').press('PageDown')
    await page.locator('td.cursor', { hasText: /^c1 r3\d$/ }).waitFor()
    await page.setViewportSize({ width: 1280, height: 900 })
    await cell('c14 r34').waitFor({ state: 'detached' })
    assert.ok((await view.boundingBox())!.height < 700)
    assert.equal(await overflowOf(page), 0)
  })

  it('has at most 2,500 elements on the largest screens, with all menus and the inspector open', async () => {
    const view = encodeURIComponent(JSON.stringify({ column: 'c1' }))
    await using page = await site.browser.open(`${path}?${view}`, { viewport: { width: 3840, height: 2160 } })
    await page.getByRole('gridcell', { name: 'c1 r1', exact: true }).waitFor()
    await page.getByRole('button', { name: /^c22\. Open|^c22: / }).waitFor()
    await page.getByRole('button', { name: '1,000 of 1,000 columns' }).click()
    await page.getByText('Type a part of the name').waitFor()
    await page.getByLabel('Search this list').fill('c77')
    await page.getByRole('checkbox', { name: 'c777', exact: true }).waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 11)
    await page.getByLabel('Search this list').fill('c')
    await page.getByText('Type a part of the name').waitFor()
    const elements = Number(await page.evaluate("document.querySelectorAll('*').length"))
    assert.ok(elements <= 2_500, `${elements} elements`)
  })

  it('has no axe violations, and fits a phone', async () => {
    for (const width of [2560, 390]) {
      await using page = await site.browser.open(path, { viewport: { width, height: 844 }, bypassCSP: true })
      await page.getByRole('gridcell', { name: 'c1 r1', exact: true }).waitFor()
      assert.deepEqual(await axeViolations(page), [], `${width}`)
      assert.ok((await overflowOf(page)) <= 0, `too wide at ${width}`)
    }
  })
})

// Tests of the start page: the list of datasets as one live list with its state in the address, versions of a file below
// it, the tray on every screen, the trash, and the theme.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { CuttableProxy } from '../support/cuttable-proxy.ts'
import { axeViolations, chooseFile, noBrowser, overflowBelow, overflowOf } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

const elementsMax = 2_500

describe('the start page', { skip: noBrowser }, () => {
  const site = pageSite()

  const open = (path = '/', options = {}) => site.browser.open(site.service.url + path, { bypassCSP: true, ...options })
  const named = (page: Page, name: string) => page.getByRole('link', { name, exact: true })
  const rowNames = (page: Page) => page.locator('.list a.file').allTextContents()

  it('explains itself on the first visit, and offers a sample that is not sent before the user says so', async () => {
    await using page = await open()
    await page.getByRole('heading', { name: 'Every record becomes a row' }).waitFor()
    assert.deepEqual(await axeViolations(page), [])
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.getByRole('button', { name: 'Try a sample' }).click()
    await page.getByRole('button', { name: 'Send: orders.csv' }).waitFor()
    assert.deepEqual(sent, [])
    await page.getByRole('button', { name: 'Send: orders.csv' }).click()
    await page.getByRole('link', { name: 'Open: orders.csv, 1,981 rows, 19 rejected' }).waitFor()
  })

  it('shows what another client sends, deletes and puts back, without a reload', async () => {
    await using page = await open()
    await page.getByText('Live', { exact: true }).waitFor()
    const { id } = await site.client.upload({ content: 'live\n1\n2\n', fileName: 'live.csv' })
    await named(page, 'live.csv').waitFor()
    assert.equal((await fetch(`${site.service.url}/qas/datasets/${id}?trash`, { method: 'DELETE' })).status, 204)
    await named(page, 'live.csv').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Trash 1' }).click()
    await page.getByLabel('Select live.csv').check()
    await page.getByRole('button', { name: 'Put back' }).click()
    await page.getByText('Nothing here.').waitFor()
    await page.goBack()
    await named(page, 'live.csv').waitFor()
  })

  it('keeps search, filter and sort in the address, and comes back to the place where it was left', async () => {
    for (let at = 0; at < 120; at += 1)
      await site.client.upload({ content: `n,column ${at}\n${'1,2\n'.repeat(at + 1)}`, fileName: `many ${at}.csv` })
    await site.client.upload({ content: 'n,m\n1\n2,3\n', fileName: 'broken.csv' })
    await using page = await open()
    await page.getByRole('button', { name: 'Rows' }).click()
    await page.locator('.list tbody tr', { hasText: 'orders.csv' }).waitFor()
    assert.equal((await rowNames(page))[1], 'many 119.csv')
    assert.equal(new URL(page.url()).hash, '#/?sort=-rows')
    await page.getByLabel('Search names and columns').fill('column 77')
    await page.getByRole('heading', { name: '1 dataset' }).waitFor()
    assert.deepEqual(await rowNames(page), ['many 77.csv'])
    await page.reload()
    await named(page, 'many 77.csv').waitFor()
    await page.getByRole('button', { name: 'Needs a look 2' }).waitFor()
    // Faster than the browser tells of a new address.
    await page.evaluate(`(async () => {
      const search = document.querySelector('input[type=search]')
      search.value = ''
      search.dispatchEvent(new Event('input', { bubbles: true }))
      for (let turns = 0; turns < 10; turns += 1) await null
      for (const chip of document.querySelectorAll('.chip')) if (chip.textContent.startsWith('Needs')) chip.click()
    })()`)
    await page.getByRole('heading', { name: '2 datasets' }).waitFor()
    assert.deepEqual(new Set(await rowNames(page)), new Set(['orders.csv', 'broken.csv']))
    await page.getByLabel('Select broken.csv').check()
    await page.getByRole('button', { name: 'Nothing to look at' }).click()
    await page.getByRole('heading', { name: '1 dataset' }).waitFor()
    await page.getByRole('button', { name: 'Needs a look 1' }).click()
    await page.getByRole('heading', { name: /^12\d datasets$/ }).waitFor()
    const scrolled = "document.querySelector('main').scrollTop"
    await page.evaluate("document.querySelector('main').scrollTo(0, 2600)")
    await named(page, 'many 50.csv').click()
    await page.getByRole('heading', { name: 'many 50.csv' }).waitFor()
    assert.equal(await page.evaluate(scrolled), 0)
    assert.equal(await page.evaluate('document.activeElement.id'), 'main')
    await page.goBack()
    await named(page, 'many 50.csv').waitFor()
    assert.equal(await page.evaluate(scrolled), 2600)
  })

  it('lets only its content scroll, never the window, with many datasets and with a file of many columns', async () => {
    const names = Array.from({ length: 18 }, (_, at) => `column ${at}`)
    const content = `${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`
    const { id } = await site.client.upload({ content, fileName: 'columns.csv' })
    for (const width of [1440, 390]) {
      await using page = await open('/', { viewport: { width, height: 844 } })
      await named(page, 'columns.csv').waitFor()
      assert.equal(await overflowBelow(page), 0, `list, ${width}`)
      await chooseFile(page, 'chosen.csv', content)
      await page.getByLabel('Type of column 17').waitFor()
      assert.equal(await overflowBelow(page), 0, `before sending, ${width}`)
      await page.goto(`${site.service.url}/#/datasets/${id}/read`)
      await page.getByText('The stored file is read again').waitFor()
      await page.getByLabel('Type of column 17').waitFor()
      assert.equal(await overflowBelow(page), 0, `read another way, ${width}`)
    }
  })

  it('takes back that there is nothing to look at, and offers each only where it changes something', async () => {
    await using page = await open('/#/?search=broken')
    const choose = (name: string) => page.getByRole('button', { name, exact: true })
    await page.getByRole('button', { name: 'Needs a look 1' }).waitFor()
    await page.getByLabel('Select broken.csv').check()
    await choose('Look at it again').waitFor()
    assert.equal(await choose('Nothing to look at').count(), 0)
    await choose('Look at it again').click()
    await page.getByRole('button', { name: 'Needs a look 2' }).waitFor()
    await page.getByLabel('Select broken.csv').check()
    await choose('Nothing to look at').waitFor()
    assert.equal(await choose('Look at it again').count(), 0)
    await choose('Nothing to look at').click()
    await page.getByRole('button', { name: 'Needs a look 1' }).waitFor()
  })

  it('has few elements however many datasets there are, and loads the others as they are looked at', async () => {
    await using page = await open('/', { viewport: { width: 1280, height: 900 } })
    const total = 5_000
    const entry = (at: number) => ({
      id: at.toString(16).padStart(32, '0'),
      createdAt: 1_763_650_000_000,
      file: { name: `row ${at}.csv`, bytes: 10, sha256: '' },
      records: { total: 2, header: 1, blank: 0, skipped: 0, accepted: 1, rejected: 0 },
      columns: [{ name: 'a', type: 'text' }],
    })
    await page.route('**/qas/datasets?*', (route) => {
      const query = new URL(route.request().url()).searchParams
      const [from, limit] = [Number(query.get('after') ?? 0), Number(query.get('limit'))]
      const datasets = Array.from({ length: Math.min(limit, total - from) }, (_, at) => entry(from + at))
      const after = from + limit < total ? String(from + limit) : null
      return route.fulfill({ json: { datasets, total, after } })
    })
    await page.reload()
    await page.getByRole('heading', { name: '5,000 datasets' }).waitFor()
    await page.evaluate("document.querySelector('main').scrollTo(0, 1e9)")
    await named(page, 'row 4999.csv').waitFor()
    assert.ok(Number(await page.evaluate("document.querySelectorAll('*').length")) < elementsMax)
    await page.getByLabel('Select row 4999.csv').check()
    await page.getByText('1 selected').waitFor()
  })

  it('groups versions of a file under it, tells them apart, and leads from one to the other', async () => {
    const content = 'id;name\n1;Ada\n2\n3;Bob\n'
    const { id } = await site.client.upload({ content, fileName: 'versions.csv' })
    const corrections = await fetch(`${site.service.url}/qas/datasets/${id}/corrections`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${JSON.stringify({ record: 3, text: '2;Eve' })}\n`,
    })
    assert.equal(corrections.status, 200)
    await using page = await open('/#/?search=versions')
    await page.getByRole('heading', { name: '1 dataset' }).waitFor()
    await page.getByRole('button', { name: '2 versions' }).click()
    await page.getByText('1 record mended').waitFor()
    await named(page, 'as sent').click()
    await page.getByText('4 records = 1 header + 2 rows + 1 rejected').waitFor()
    await page.getByRole('button', { name: 'as sent, 1 of 2 versions' }).click()
    await page.getByRole('link', { name: 'corrected 0 rejected' }).click()
    await page.getByText('4 records = 1 header + 3 rows + 0 rejected').waitFor()
  })

  it('shows an upload in the tray on every screen, says its end once, and shows none after its end', async () => {
    await using page = await open()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/qas/uploads/*', async (route) => {
      if (route.request().method() === 'PATCH') await held
      await route.continue()
    })
    const buffer = Buffer.from(`tray,b\n${'1,2\n'.repeat(300_000)}`)
    await page.setInputFiles('input[type=file]', { name: 'tray.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Send: tray.csv' }).click()
    await using other = await open()
    await other.getByRole('button', { name: 'Cancel: tray.csv' }).waitFor()
    await named(page, 'broken.csv').click()
    await page.getByRole('heading', { name: 'broken.csv' }).waitFor()
    await page.getByRole('button', { name: 'Pause: tray.csv' }).waitFor()
    release()
    await page
      .getByRole('status')
      .filter({ hasText: /^tray\.csv: 300,000 rows, 0 rejected$/ })
      .waitFor()
    await other.getByRole('button', { name: 'Cancel: tray.csv' }).waitFor({ state: 'detached' })
    await named(other, 'tray.csv').waitFor()
    const link = page.getByRole('link', { name: 'Open: tray.csv' })
    const [id] = /[0-9a-f]{32}/.exec((await link.getAttribute('href')) ?? '') ?? []
    await fetch(`${site.service.url}/qas/datasets/${id}?trash`, { method: 'DELETE' })
    await link.waitFor({ state: 'detached' })
    await fetch(`${site.service.url}/qas/trash/${id}/restore`, { method: 'POST' })
    await link.waitFor()
    await page.getByRole('button', { name: 'Remove: tray.csv' }).click()
    assert.equal(await page.locator('.tray li').count(), 0)
  })

  it('leads from a tick of the strip to the cause of the reject there', async () => {
    const good = '1,2\n'.repeat(5_000)
    const { id } = await site.client.upload({ content: `a,b\n${good}3\n${good}4,5,6\n`, fileName: 'ticks.csv' })
    await using page = await open(`/#/datasets/${id}`)
    const strip = page.getByRole('link', { name: 'rejected: 2' })
    const { width = 0 } = (await strip.boundingBox()) ?? {}
    await strip.click({ position: { x: width - 2, y: 5 } })
    await page.getByRole('heading', { name: 'Too many fields: 1 record' }).waitFor()
    await strip.click({ position: { x: width / 2, y: 5 } })
    await page.getByRole('heading', { name: 'Fields are missing: 1 record' }).waitFor()
  })

  it('does not show what was deleted again, though an answer from before comes late', async () => {
    const { id } = await site.client.upload({ content: 'a\n1\n', fileName: 'late a.csv' })
    await site.client.upload({ content: 'b\n1\n', fileName: 'late b.csv' })
    await using page = await open('/#/?search=late')
    await page.getByLabel('Select late a.csv').waitFor()
    // Nothing else lets the page ask again.
    await page.route('**/qas/events', (route) => route.abort())
    await page.reload()
    await page.getByLabel('Select late a.csv').waitFor()
    await page.getByRole('link', { name: /^Trash/ }).click()
    await page.getByRole('heading', { name: 'Trash' }).waitFor()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const late = Promise.withResolvers<void>()
    await page.route(
      '**/qas/datasets?versions=latest&sort=*',
      async (route) => {
        const response = await route.fetch()
        await held
        await route.fulfill({ response }).catch(() => {})
        late.resolve()
      },
      { times: 1 },
    )
    await page.goBack()
    await page.getByLabel('Select late a.csv').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await named(page, 'late a.csv').waitFor({ state: 'detached' })
    release()
    await late.promise
    await page.getByRole('heading', { name: '1 dataset' }).waitFor()
    await page.getByRole('button', { name: 'Name' }).click()
    await page.getByRole('button', { name: 'When' }).click()
    await named(page, 'late b.csv').waitFor()
    assert.equal(await named(page, 'late a.csv').count(), 0)
    await fetch(`${site.service.url}/qas/trash/${id}/restore`, { method: 'POST' })
  })

  it('keeps a notice while the pointer is on it, and the way back in the trash after it', async () => {
    await site.client.upload({ content: 'noticed\n1\n', fileName: 'noticed.csv' })
    await using page = await open()
    await named(page, 'noticed.csv').waitFor()
    await page.clock.install()
    await page.getByLabel('Select noticed.csv').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const notice = page.getByText('noticed.csv is in the trash.')
    await notice.hover()
    await page.clock.runFor(600_000)
    assert.ok(await notice.isVisible())
    await page.getByRole('heading', { name: 'Drop CSV files anywhere' }).hover()
    await page.clock.runFor(21_000)
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: /^Trash/ }).click()
    await page.getByLabel('Select noticed.csv').check()
    await page.getByRole('button', { name: 'Put back' }).click()
    await page.getByText('Nothing here.').waitFor()
  })

  it('says that it reconnects while the service does not answer, and then shows what has changed', async () => {
    await using proxy = await CuttableProxy.to(site.service.url)
    await using page = await site.browser.open(proxy.url)
    await named(page, 'noticed.csv').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    proxy.cut()
    await page.getByText('Reconnecting').waitFor()
    await named(page, 'noticed.csv').waitFor()
    await site.client.upload({ content: 'meanwhile\n1\n', fileName: 'meanwhile.csv' })
    proxy.restore()
    await page.getByText('Live', { exact: true }).waitFor()
    await named(page, 'meanwhile.csv').waitFor()
  })

  it('keeps the theme that was chosen, and goes back to the system’s', async () => {
    await using page = await open('/', { colorScheme: 'light' })
    const scheme = () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')
    await page.getByRole('button', { name: 'Theme: as the system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    assert.equal(await scheme(), 'dark')
    await page.reload()
    await page.getByRole('button', { name: 'Theme: dark' }).click()
    assert.equal(await scheme(), 'light dark')
  })

  it('has no axe violations with versions, a selection and a notice, in light and dark, wide and on a phone', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [2560, 390, 320]) {
        await using page = await open('/', { colorScheme, viewport: { width, height: 844 } })
        await page.getByRole('button', { name: '2 versions' }).click()
        await page.getByText('1 record mended').waitFor()
        await page.getByLabel('Select ticks.csv').check()
        assert.deepEqual(await axeViolations(page), [], `${colorScheme} ${width}`)
        await page.getByRole('button', { name: 'Delete', exact: true }).click()
        await page.getByText('ticks.csv is in the trash.').waitFor()
        assert.deepEqual(await axeViolations(page), [], `${colorScheme} ${width}`)
        assert.ok((await overflowOf(page)) <= 0, `too wide at ${width}`)
        await page.getByRole('button', { name: 'Put back' }).click()
        await named(page, 'ticks.csv').waitFor()
      }
  })
})

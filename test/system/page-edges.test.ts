// Tests of edge cases of the page: files without bytes, without records and with one row, before and after they are
// sent; files that cannot be read; failed deletions; unknown URLs.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { axeViolations, chooseFile, noBrowser } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'
import { scratchDir } from '../support/running-service.ts'

describe('the page in edge cases', { skip: noBrowser }, () => {
  const site = pageSite()

  const open = (path = '/') => site.browser.open(site.service.url + path, { bypassCSP: true })
  const check = (page: Page, name: string) =>
    page.getByRole('button', { name: `Check the whole file: ${name}` }).click()
  const send = (page: Page, name: string) => page.getByRole('button', { name: `Send: ${name}`, exact: true }).click()

  it('lists what was chosen last first, and files chosen together in their order', async () => {
    await using page = await open()
    await chooseFile(page, 'before.csv', 'a\n1\n')
    const together = ['b.csv', 'empty.csv', 'a.csv'].map((name) => {
      return { name, mimeType: 'text/csv', buffer: Buffer.from(name === 'empty.csv' ? '' : 'a\n1\n') }
    })
    await page.setInputFiles('input[type=file]', together)
    await page.getByRole('region', { name: 'Preview: a.csv' }).waitFor()
    const names = await page.locator('.files .name:is(strong, h2)').allTextContents()
    assert.deepEqual(names, ['b.csv', 'empty.csv', 'a.csv', 'before.csv'])
  })

  it('says of a file that has changed or gone since it was chosen to choose it again, and then sends it', async () => {
    await using scratch = await scratchDir()
    await using page = await open()
    // The larger ones are sent so that they can be resumed.
    for (const [name, rows, spoil] of [
      ['changed.csv', 10, (path: string) => appendFileSync(path, '5,6\n')],
      ['gone.csv', 10, (path: string) => rmSync(path)],
      ['changed-large.csv', 400_000, (path: string) => appendFileSync(path, '5,6\n')],
      ['gone-large.csv', 400_000, (path: string) => rmSync(path)],
    ] as const) {
      const path = join(scratch.path, name)
      const content = `${name},b\n${'1,2\n'.repeat(rows)}`
      writeFileSync(path, content)
      await page.setInputFiles('input[type=file]', path)
      await page.getByRole('region', { name: `Preview: ${name}` }).waitFor()
      spoil(path)
      await send(page, name)
      const item = page.getByRole('listitem').filter({ hasText: name })
      await item.getByText('was changed, moved or deleted after it was chosen').waitFor()
      assert.deepEqual(await item.getByRole('button').allTextContents(), ['Remove'])
      await page.getByRole('button', { name: `Remove: ${name}` }).click()
      writeFileSync(path, content)
      await page.setInputFiles('input[type=file]', path)
      await send(page, name)
      const count = rows.toLocaleString('en')
      await item.getByRole('link', { name: `${count} rows, 0 rejected` }).waitFor()
      await page.getByRole('button', { name: `Remove: ${name}` }).click()
    }
    const { uploads } = JSON.parse(String(await site.client.get('/qas/uploads')))
    assert.deepEqual(new Set(uploads.map(({ phase }: { phase: string }) => phase)), new Set(['done']))
  })

  it('does not offer to send a dropped folder, and says to drop its files', async () => {
    await using scratch = await scratchDir()
    const folder = join(scratch.path, 'exports')
    mkdirSync(folder)
    await using page = await open()
    // Nothing moves under the pointer any more.
    await page.getByRole('heading', { name: /^\d+ datasets?$|^Every record/ }).waitFor()
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files: [folder], dragOperationsMask: 1 }
    const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      session.send('Input.dispatchDragEvent', { type, x: 300, y: 200, data })
    await drag('dragEnter')
    await drag('dragOver')
    await page.getByText('Drop to upload').waitFor()
    // Now over the cover.
    await drag('dragOver')
    await drag('dragOver')
    await drag('drop')
    const item = page.getByRole('listitem').filter({ hasText: 'exports' })
    await item.getByText('This is a folder.').waitFor()
    assert.deepEqual(await item.getByRole('button').allTextContents(), ['Remove'])
  })

  it('says that a file with only a header has no records, before and after it is sent', async () => {
    await using page = await open()
    await chooseFile(page, 'header.csv', 'name,city,amount\n')
    await page.getByText('Below its header, this file has no records.').waitFor()
    await page.getByRole('columnheader', { name: 'amount' }).waitFor()
    await check(page, 'header.csv')
    await page.getByRole('status').filter({ hasText: 'This file has no records.' }).waitFor()
    await send(page, 'header.csv')
    await page.getByRole('link', { name: 'This file has no records.' }).click()
    await page.getByRole('heading', { name: 'header.csv' }).waitFor()
    for (const [tab, text] of [
      ['Rows', 'This dataset has no rows.'],
      ['Fix', 'No record was rejected.'],
      ['SQL', 'Run'],
    ] as const) {
      await page.getByRole('link', { name: tab, exact: true }).click()
      await page.getByText(text).first().waitFor()
      assert.deepEqual(await axeViolations(page), [], tab)
    }
    await page.getByRole('link', { name: 'Rows', exact: true }).click()
    await page.getByRole('button', { name: 'amount. Open to filter' }).click()
    await page.getByRole('heading', { name: 'amount' }).waitFor()
    assert.deepEqual(await axeViolations(page), [])
  })

  it('does not call a file empty whose first record is longer than the part that is previewed', async () => {
    await using page = await open()
    await chooseFile(page, 'long.csv', `a,b\n${'x'.repeat(1_100_000)},2\n`)
    await page.getByText('No record ends within the first megabyte of this file.', { exact: true }).waitFor()
    await check(page, 'long.csv')
    await page.getByRole('region', { name: 'Preview: long.csv' }).getByRole('cell', { name: '2' }).waitFor()
    assert.equal(await page.getByText('No record ends').count(), 0)
  })

  it('previews a Zstandard file if the browser can, else says when its rows will show, and sends it', async () => {
    await using page = await open()
    const knowsZstd = await page.evaluate(
      "(() => { try { return Boolean(new DecompressionStream('zstd')) } catch { return false } })()",
    )
    const buffer = zstdCompressSync('id,name\n1,Ada\n2,Bob\n3\n')
    await page.setInputFiles('input[type=file]', { name: 'packed.csv.zst', mimeType: 'application/zstd', buffer })
    if (knowsZstd) await page.getByRole('region', { name: 'Preview: packed.csv.zst' }).waitFor()
    else {
      await page.getByText('Its rows show as soon as it arrives.').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Check the whole file: packed.csv.zst' }).isDisabled())
    }
    await send(page, 'packed.csv.zst')
    await page.getByRole('link', { name: '2 rows, 1 rejected' }).waitFor()
  })

  it('says what is known of a failure: no response, or only the status of a proxy', async () => {
    await site.client.upload({ content: 'k\n1\n', fileName: 'there.csv' })
    await using page = await open()
    const alert = page.getByRole('alert')
    const path = '**/qas/datasets?*'
    await page.getByRole('link', { name: 'there.csv', exact: true }).waitFor()
    await page.route(path, (route) => route.abort())
    await page.getByLabel('Search names and columns').fill('there')
    assert.equal(
      await alert.textContent(),
      'The service does not answer. Uploads go on by themselves as soon as it does.',
    )
    await page.unroute(path)
    await page.getByRole('button', { name: 'Try again' }).click()
    await alert.waitFor({ state: 'detached' })
    await page.route('**/qas/uploadCsv', (route) => route.fulfill({ status: 413, body: '<h1>Too large</h1>' }))
    await chooseFile(page, 'large.csv', 'a\n1\n')
    await send(page, 'large.csv')
    assert.match(String(await alert.textContent()), /^Something went wrong: 413 /)
  })

  it('shows a dataset again if its deletion fails, says so, and deletes it on the next request', async () => {
    await site.client.upload({ content: 'k\n1\n2\n', fileName: 'stays.csv' })
    await using page = await open()
    const path = '**/qas/datasets/*'
    await page.route(`${path}?trash`, (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      const exception = 'csvupload.StoreUnavailableException'
      return route.fulfill({ status: 503, json: { status: 503, exception, message: 'Cannot use the storage now' } })
    })
    await page.getByLabel('Select stays.csv').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'Cannot use the storage now' }).waitFor()
    await page.getByRole('link', { name: 'stays.csv' }).waitFor()
    assert.deepEqual(await axeViolations(page), [])

    await page.unroute(`${path}?trash`)
    const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    assert.equal((await deleted).status(), 204)
    await page.reload()
    await page.getByRole('heading', { name: /^\d+ datasets?$/ }).waitFor()
    assert.equal(await page.getByText('stays.csv').count(), 0)
  })

  it('says on an open dataset that another tab has deleted it, and in time that the service answers again', async () => {
    const { id } = await site.client.upload({ content: 'a,b\n1,2\n3\n', fileName: 'shared.csv' })
    await using page = await open()
    await page.goto(`${site.service.url}/#/datasets/${id}/fix`)
    await page.route('**/corrections', (route) => route.abort())
    await page.getByRole('button', { name: 'Mend 1 record' }).click()
    await page.getByRole('button', { name: 'Store 1 correction as a new version' }).click()
    await page.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor()
    await site.client.ask('DELETE', `/qas/datasets/${id}?trash`)
    await page.getByRole('link', { name: 'deleted meanwhile: see the trash' }).waitFor()
    await page.getByRole('alert').filter({ hasText: 'does again now. Try once more.' }).waitFor()
  })

  it('asks before a chosen file is lost, and shows marks of direction in the names of columns', async () => {
    await using page = await open()
    await chooseFile(page, 'turned.csv', 'a,x\u202etxt\n1,2\n')
    await page.getByRole('columnheader', { name: 'x\ufffdtxt' }).waitFor()
    await page.getByRole('rowheader', { name: 'x\ufffdtxt' }).waitFor()
    // Browsers ask only whoever has used the page.
    await page.getByText('Change how it is read').click()
    const asked = page.waitForEvent('dialog')
    const reloaded = page.reload()
    assert.equal((await asked).type(), 'beforeunload')
    await reloaded
  })

  it('takes a dataset out of the trash if its file is sent again', async () => {
    const content = 'wanted\n1\n2\n'
    const { id } = await site.client.upload({ content, fileName: 'wanted.csv' })
    await using page = await open()
    await page.getByLabel('Select wanted.csv').check()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('wanted.csv is in the trash.').waitFor()
    await chooseFile(page, 'wanted.csv', content)
    await send(page, 'wanted.csv')
    await page.getByRole('link', { name: '2 rows, 0 rejected' }).waitFor()
    await page.getByRole('link', { name: 'wanted.csv', exact: true }).waitFor()
    assert.equal(JSON.parse(String(await site.client.get(`/qas/datasets/${id}`))).id, id)
  })

  it('puts back both of two datasets that are deleted one right after the other', async () => {
    const ids = []
    for (const name of ['first', 'second'])
      ids.push((await site.client.upload({ content: `${name}\n1\n`, fileName: `${name}.csv` })).id)
    await using page = await open()
    for (const name of ['first.csv', 'second.csv']) {
      await page.getByLabel(`Select ${name}`).check()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('link', { name }).waitFor({ state: 'detached' })
    }
    await page.getByText('2 datasets are in the trash.').waitFor()
    for (const id of ids) await assert.rejects(site.client.get(`/qas/datasets/${id}`))
    await page.getByRole('button', { name: 'Put back' }).click()
    for (const name of ['first.csv', 'second.csv']) await page.getByRole('link', { name }).waitFor()
  })

  it('shows a heading and a way back for unknown URLs', async () => {
    for (const [path, heading] of [
      [`/#/datasets/${'0'.repeat(32)}`, 'This dataset cannot be shown.'],
      ['/#/nowhere', 'There is nothing here.'],
    ] as const) {
      await using page = await open(path)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      assert.deepEqual(await axeViolations(page), [], path)
      await page.getByRole('link', { name: 'All datasets', exact: true }).click()
      await page.getByRole('heading', { name: 'Drop CSV files anywhere' }).waitFor()
    }
  })
})

// Tests of the page in a real browser: by mouse, by keyboard, on a phone, in both color schemes, with axe.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Receipt } from '../../src/core/receipt.ts'
import { axeViolations, chooseFile, noBrowser, overflowOf } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

const orders = 'order,customer,amount\n00017,"Lovelace, Ada",12.50\n00018,,7.25\n00019,""\n'

const selectedText = (page: Page) =>
  page.evaluate<string>(`(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(
    document.querySelector('textarea'))`)

/** Selects the whole statement as soon as an error is marked in it; resolves when effects of the mark have run. */
const selectAllWithMark = `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (document.querySelector('.editor mark') === null) return
    observer.disconnect()
    document.querySelector('textarea').select()
    requestAnimationFrame(() => setTimeout(resolve))
  })
  observer.observe(document.body, { childList: true, subtree: true })
})`

describe('the page', { skip: noBrowser }, () => {
  const site = pageSite()

  const open = (options: BrowserContextOptions = {}, path = '/') => site.browser.open(site.service.url + path, options)

  const upload = async (page: Page, name: string, content: string) => {
    await chooseFile(page, name, content)
    await page.getByRole('button', { name: `Send: ${name}`, exact: true }).click()
  }

  it('moves no button under the pointer while a preview loads or changes', async () => {
    await using page = await open()
    await chooseFile(page, 'still.csv', orders)
    const send = page.getByRole('button', { name: 'Send: still.csv' })
    const read = page.getByRole('button', { name: 'Read this way' })
    const preview = page.locator('.preview')
    await preview.waitFor()
    const above = await send.boundingBox()
    assert.ok(above!.y + above!.height <= (await preview.boundingBox())!.y)
    await send.click()
    await page.getByRole('link', { name: '2 rows, 1 rejected' }).click()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/original', (route) => held.then(() => route.continue()))
    await page.getByRole('link', { name: 'Read it another way' }).click()
    const before = await read.boundingBox()
    release()
    await preview.waitFor()
    assert.deepEqual(await read.boundingBox(), before)
    await page.getByLabel('Delimiter').selectOption(';')
    await page.locator('.preview', { hasText: '00017,' }).waitFor()
    assert.deepEqual(await read.boundingBox(), before)
  })

  it('selects the place of an error, and does not change the selection again', async () => {
    await using page = await open()
    await upload(page, 'one.csv', 'a,b\n1,2\n')
    await page.getByRole('link', { name: '1 row, 0 rejected' }).click()
    await page.getByRole('link', { name: 'SQL' }).click()
    const statement = 'SELECT nothing FROM data'
    await page.getByLabel('SQL').fill('SELECT 1, missing FROM data')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.locator('mark', { hasText: /^missing$/ }).waitFor()
    assert.equal(await selectedText(page), 'missing')
    await page.getByLabel('SQL').fill(statement)
    const seen = page.evaluate(selectAllWithMark)
    await page.getByRole('button', { name: 'Run' }).click()
    await seen
    assert.equal(await selectedText(page), statement)
  })

  it('accepts several files at once, dropped or pasted, and says before sending what cannot be CSV', async () => {
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
    await page.getByText('it looks like a zip archive').waitFor()
    await page.getByText('This file is empty.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Send: book.csv' }).isDisabled())
    await page.getByRole('button', { name: 'Remove: book.csv' }).click()
    await page.getByRole('button', { name: 'Send: one.csv' }).click()
    await page.getByRole('link', { name: '1 row, 0 rejected' }).waitFor()

    await page.evaluate(`
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x,y\\n1,2\\n3,4\\n'], 'dropped.csv'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))`)
    await page.getByRole('heading', { name: 'dropped.csv' }).waitFor()
    await page.evaluate(`
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', 'p,q\\n5,6\\n')
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))`)
    await page.getByRole('heading', { name: 'pasted.csv' }).waitFor()
    await page.getByRole('button', { name: 'Send all 2' }).click()
    await page.getByRole('link', { name: 'dropped.csv', exact: true }).waitFor()
    await page.getByRole('link', { name: 'pasted.csv', exact: true }).waitFor()
  })

  it('shows the first rows and checks the whole file before sending, and sends it as it was checked', async () => {
    await using page = await open()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    const records = Array.from({ length: 50_000 }, (_, index) => `${index};"x; ${index}";1,5`)
    await chooseFile(page, 'semicolons.csv', `id;text;price\n${records.join('\n')}\n7;short\nlast;x;y;z\n`)
    const preview = page.getByRole('region', { name: 'Preview: semicolons.csv' })
    await preview.getByRole('cell', { name: 'x; 19' }).waitFor()
    assert.equal(await preview.getByRole('row').count(), 21)
    await preview.getByRole('columnheader', { name: 'price' }).waitFor()
    await page.getByRole('button', { name: 'Check the whole file: semicolons.csv' }).click()
    await page.getByText('50,003 records = 1 header + 50,000 rows + 2 rejected').waitFor()
    await page.getByText('7;short').waitFor()
    await page.getByText('Fields are missing 1, Too many fields 1').waitFor()
    await page.getByText('Change how it is read').click()
    await page.getByRole('combobox', { name: 'Quote' }).selectOption('none')
    await preview
      .getByRole('cell', { name: '" 19"' })
      .or(preview.getByRole('cell', { name: '"x' }).first())
      .first()
      .waitFor()
    await page.getByRole('combobox', { name: 'Quote' }).selectOption('detected')
    await page.getByRole('combobox', { name: 'Header' }).selectOption('no')
    await page.getByText('50,003 records = 50,001 rows + 2 rejected').waitFor()
    assert.deepEqual(sent, [])
    await page.getByRole('button', { name: 'Send: semicolons.csv' }).press('Enter')
    await page.getByRole('link', { name: '50,001 rows, 2 rejected' }).waitFor()
    assert.equal(sent.length, 1)
  })

  it('draws the result of a statement, exports it, and keeps statements', async () => {
    await using page = await open()
    const rows = Array.from({ length: 90 }, (_, index) => `${['north', 'south', 'west'][index % 3]},${index}.50`)
    await upload(page, 'sales.csv', `sales region,amount\n${rows.join('\n')}\n`)
    await page.getByRole('link', { name: '90 rows, 0 rejected' }).click()
    await page.getByRole('link', { name: 'SQL' }).click()
    const editor = page.getByLabel('SQL')
    await editor.fill('SELECT "sales region", median(amount) AS middle FROM data GROUP BY ALL ORDER BY middle')
    await editor.press('Control+Enter')
    await page.getByText(/^3 rows in/).waitFor()
    await page.getByRole('figure', { name: 'middle by sales region' }).getByText('south').waitFor()
    for (const [form, text] of [
      ['CSV', /^sales region,middle\r?\nnorth,44/],
      ['JSON', /^\{"columns":\[\{"name":"sales region"/],
      ['NDJSON', /^\{"sales region":"north","middle":"44/],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click()
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: form, exact: true }).click(),
      ])
      assert.match(readFileSync(await saved.path(), 'utf8'), text)
    }
    await page.getByRole('button', { name: /sum\(amount\) AS total/ }).click()
    await page.getByRole('columnheader', { name: 'total' }).waitFor()
    await page.goBack()
    await page.getByRole('columnheader', { name: 'middle' }).waitFor()
    await page.reload()
    await page.getByText(/^3 rows in/).waitFor()
    await page
      .getByRole('button', { name: /median\(amount\) AS middle FROM data GROUP BY ALL ORDER BY middle/ })
      .waitFor()
  })

  it('mends a misspelled name in SQL, puts columns that are pressed into the statement, and stops a query', async () => {
    await using page = await open()
    await upload(page, 'mend.csv', 'placed,amount\n2026-11-28,1\n')
    await page.getByRole('link', { name: '1 row, 0 rejected' }).click()
    await page.getByRole('link', { name: 'SQL' }).click()
    const editor = page.getByLabel('SQL')
    const names = page.getByRole('navigation', { name: 'Columns and statements' })
    await names.getByRole('button', { name: /^amount/ }).click()
    await names.getByRole('button', { name: /^placed/ }).click()
    assert.equal(await editor.inputValue(), 'SELECT amount, placed FROM data LIMIT 100')
    await editor.fill('SELECT 1,\n  plcaed FROM data')
    await editor.press('Control+Enter')
    const alert = page.getByRole('alert')
    await alert.getByText('There is no column “plcaed”. Line 2, marked above.').waitFor()
    await alert.getByRole('button', { name: 'Put “placed” there' }).click()
    await page.getByRole('gridcell', { name: '2026-11-28' }).waitFor()
    assert.equal(await editor.inputValue(), 'SELECT 1,\n  placed FROM data')
    await editor.fill('SELECT 1 FROM data WHERE false')
    await editor.press('Control+Enter')
    await page.getByRole('heading', { name: 'No rows' }).waitFor()
    await editor.fill('SELECT count(*) FROM range(1000000000000) a')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
    await editor.fill('SELECT i FROM range(10001) r(i)')
    await editor.press('Control+Enter')
    await page.getByText('These are the first 10,000 rows. Export has all.').waitFor()
  })

  it('sends the types, names and rules that were chosen before, and says what would not fit', async () => {
    await using page = await open()
    await chooseFile(page, 'typed.csv', 'no;amount\n001;1,50\n002;k.A.\n003;2,25\n004;1;2\n')
    await page.getByLabel('Type of amount').selectOption('decimal')
    await page.getByText('1 value of amount would be rejected:').waitFor()
    await page.getByText('5 records = 1 header + 2 rows + 2 rejected').waitFor()
    // All that are listed: those that break what is declared stand beside their column.
    assert.equal(await page.getByText('These are the first').count(), 0)
    await page.getByRole('button', { name: 'Read k.A. as null' }).click()
    await page.getByText('5 records = 1 header + 3 rows + 1 rejected').waitFor()
    await page.getByLabel('Name of no in the dataset').fill('order')
    await page.getByLabel('no must be filled').check()
    await page.getByLabel('Pattern of no').fill('\\d{3}')
    await page.getByLabel('Pattern of no').press('Tab')
    await page.getByRole('button', { name: 'Check the whole file: typed.csv' }).click()
    await page.getByText('read on this device').waitFor()
    await page.getByRole('button', { name: 'Send: typed.csv' }).click()
    await page.getByRole('link', { name: '3 rows, 1 rejected' }).click()
    await page.getByRole('gridcell', { name: '2.25' }).waitFor()
    const id = /[0-9a-f]{32}/.exec(page.url())?.[0] ?? ''
    const { columns, schema } = JSON.parse((await site.client.get(`/qas/datasets/${id}`)).toString()) as Receipt
    const shown = columns.map(({ name, type }) => `${name} ${type}`)
    assert.deepEqual(shown, ['order text', 'amount decimal(9,2)'])
    assert.equal(columns[1]?.why, 'declared in the schema as decimal')
    assert.deepEqual(schema?.fields[0]?.constraints, { required: true, pattern: '\\d{3}' })
  })

  it('previews another reading immediately, and opens the one that was made', async () => {
    await using page = await open()
    await upload(page, 'codes.csv', 'id;zip\n1;00123\n2;99\n3;5\n')
    await page.getByRole('link', { name: '3 rows, 0 rejected' }).click()
    await page.getByRole('link', { name: 'Read it another way' }).click()
    await page.getByRole('columnheader', { name: 'zip text' }).waitFor()
    await page.getByLabel('Delimiter').selectOption('|')
    await page.getByRole('columnheader', { name: 'id;zip' }).waitFor()
    await page.getByLabel('Delimiter').selectOption('detected')
    await page.getByRole('combobox', { name: 'Header' }).selectOption('no')
    await page.getByRole('region', { name: 'Preview' }).getByRole('cell', { name: 'zip' }).waitFor()
    await page.getByRole('button', { name: 'Read this way' }).click()
    await page.getByRole('link', { name: 'Open this reading' }).waitFor()
    await page.getByRole('link', { name: 'Open this reading' }).click()
    await page.getByRole('link', { name: 'Rows', exact: true }).click()
    await page.getByRole('gridcell', { name: 'zip' }).waitFor()
  })

  it('has no axe violations, on any view, in light and dark, wide and on a phone', async () => {
    const sent = new FormData()
    sent.append('file', new Blob([orders]), 'orders.csv')
    const { id } = (await (
      await fetch(`${site.service.url}/qas/uploadCsv`, { method: 'POST', body: sent })
    ).json()) as {
      id: string
    }
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [2560, 390]) {
        await using page = await open({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        for (const view of [
          '',
          '#/trash',
          ...['', '/fix', '/sql', '/receipt', '/rows?%7B%22column%22%3A%22amount%22%7D', '/read'].map(
            (tab) => `#/datasets/${id}${tab}`,
          ),
        ]) {
          await page.goto(`${site.service.url}/${view}`)
          await page.getByRole('heading').first().waitFor()
          // The stream of events never ends, so the network is never idle.
          await page.locator('main', { hasText: 'Loading' }).waitFor({ state: 'detached' })
          await page.locator('.skeleton').first().waitFor({ state: 'detached' })
          assert.deepEqual(await axeViolations(page), [], `${view} ${colorScheme} ${width}`)
          const overflow = await overflowOf(page)
          assert.ok(overflow <= 0, `${view} is ${overflow} pixels too wide at ${width}`)
        }
      }
  })

  it('works without JavaScript as a plain form', async () => {
    await using page = await open({ javaScriptEnabled: false })
    await chooseFile(page, 'plain.csv', 'a,b\n1,2\n')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('"duplicate"').waitFor()
  })
})

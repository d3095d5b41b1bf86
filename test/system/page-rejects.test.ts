// Tests of fixing rejects on the page: by keyboard alone, on a phone, by a file; what is still wrong stays a reject.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { axeViolations, noBrowser, overflowOf } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

const first = 'id,name,born\n1,"Lovelace, Ada",1815\n'
const rest = ['Church, A.', 'Post, E.', 'Bernays, ""P.""', 'Tarski, A.', 'Skolem, T.', 'Herbrand, J.']
  .map((name, index) => `${index + 6},"${name}",1900\n`)
  .join('')
/** Rejects on lines 3 to 6. */
const people = `${first}2,Grace\n3,"Alan"x,1912\n4,Kurt,1906,x\n5,Emmy\n${rest}`

describe('rejects on the page', { skip: noBrowser }, () => {
  const site = pageSite()

  const openRejects = (id: string, options: BrowserContextOptions = {}) =>
    site.browser.open(`${site.service.url}/#/datasets/${id}/fix`, options)
  const idOf = (page: Page) => /datasets\/([0-9a-f]{32})/.exec(page.url())?.[1] ?? ''
  const csvOf = async (id: string) => (await site.client.get(`/qas/datasets/${id}/data.csv`)).toString()

  const causeOf = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Causes' }).getByRole('link', { name })

  it('are grouped by cause, each with its text and the place of the fault', async () => {
    const { id } = await site.client.upload(people)
    await using page = await openRejects(id)
    await page.getByRole('heading', { name: 'Fields are missing: 2 records' }).waitFor()
    await page.locator('.reject mark').nth(1).waitFor()
    assert.deepEqual(await page.locator('.reject mark').allTextContents(), ['', ''])
    assert.equal(await page.locator('.reject').filter({ hasText: 'Line 3' }).locator('.raw').textContent(), '2,Grace')
    for (const [name, text] of [
      ['Too many fields 1', 'x'],
      ['Text after a closing quote 1', 'x'],
    ] as const) {
      await causeOf(page, name).click()
      await page.getByRole('heading', { name: `${name.slice(0, -2)}: 1 record` }).waitFor()
      await page.locator('.reject mark', { hasText: text }).waitFor()
      assert.equal(await page.locator('.reject').count(), 1)
    }
    await page.goBack()
    await page.getByRole('heading', { name: 'Too many fields: 1 record' }).waitFor()
  })

  it('are paged within a cause, however many others come before', async () => {
    const short = Array.from({ length: 250 }, (_, i) => `${i}\n`).join('')
    const good = Array.from({ length: 900 }, (_, i) => `${i},a\n`).join('')
    const { id } = await site.client.upload(`id,name\n${good}${short}1,2,3\n4,5,6\n`)
    await using page = await openRejects(id)
    const asked: string[] = []
    page.on(
      'request',
      (request) => request.url().includes('/rejects?') && asked.push(request.url().split('?')[1] ?? ''),
    )
    await causeOf(page, 'Too many fields 2').click()
    await page.locator('.reject', { hasText: '4,5,6' }).waitFor()
    assert.equal(await page.locator('.reject').count(), 2)
    await causeOf(page, 'Fields are missing 250').click()
    await page.getByRole('button', { name: 'One by one' }).click()
    const more = page.getByRole('button', { name: 'Load more' })
    for (const shown of [100, 200]) {
      await page
        .locator('.reject')
        .nth(shown - 1)
        .waitFor()
      assert.equal(await page.locator('.reject').count(), shown)
      await more.click()
    }
    await page.locator('.reject').nth(249).waitFor()
    await more.waitFor({ state: 'detached' })
    assert.deepEqual(asked.at(-1), 'offset=200&limit=100&reason=too_few_fields')
  })

  const rows = (length: number) => Array.from({ length }, (_, i) => `${i},"Name, ${i}",1900\n`).join('')

  it('are mended by a rule, shown before it is applied; undone, kept over a reload, and stored', async () => {
    const { id } = await site.client.upload(`id,name,born\n${rows(9)}20,Ada\n21,Kurt,1906,\n22,"Emmy\n${rows(3)}`)
    await using page = await openRejects(id)
    await page.getByLabel('Add the missing fields at the end, empty mends 1 of 1').waitFor()
    await page.getByLabel('Join with the next line mends 0 of 1').waitFor()
    await page.locator('.diff ins', { hasText: ',' }).waitFor()
    await page.getByRole('button', { name: 'Mend 1 record' }).press('Enter')
    await page.getByText('1 of 2 mended').waitFor()
    await page.locator('body').press('Control+z')
    await page.getByText('1 of 2 mended').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Mend 1 record' }).click()
    await causeOf(page, 'A quote never closes 1').click()
    await page.getByLabel('Close the quote mends 0 of 1').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Mend 0 records' }).isDisabled(), true)
    await page.reload()
    await page.getByText('1 of 2 mended').waitFor()
    await causeOf(page, 'Fields are missing 1 ✓').waitFor()
    await page.getByRole('button', { name: 'Edit: Line 13' }).click()
    await page.getByLabel('Corrected text: Line 13').fill('22,Emmy,1882')
    await page.getByText('2 of 2 mended').waitFor()
    await page.getByRole('button', { name: 'Store 2 corrections as a new version' }).click()
    await page.getByText('Corrected: 2', { exact: true }).waitFor()
    assert.notEqual(idOf(page), id)
    assert.equal(
      await csvOf(idOf(page)),
      `id,name,born\n${rows(9)}20,Ada,\n21,Kurt,1906,\n22,Emmy,1882\n${rows(3)}`.replace('1906,\n', '1906\n'),
    )
  })

  it('keep their mends for another reading of the file, but for those that do not fit it, which are named', async () => {
    const { id } = await site.client.upload(`id,name,born\n${rows(9)}20,Ada\n21,Kurt\n22,"Emmy\n${rows(3)}`)
    await using page = await openRejects(id)
    await page.getByRole('button', { name: 'Edit: Line 11' }).click()
    await page.getByLabel('Corrected text: Line 11').fill('20,Ada,1815')
    await page.getByRole('button', { name: 'Edit: Line 12' }).click()
    await page.getByLabel('Corrected text: Line 12').fill('21,Kurt,1906')
    await page.getByRole('button', { name: 'Mend 0 records' }).waitFor()
    await causeOf(page, 'A quote never closes').click()
    await page.getByLabel('Leave them out').check()
    await page.getByRole('button', { name: 'Leave them out' }).click()
    await page.getByText('2 of 3 mended').waitFor()
    const declared = JSON.stringify({ dialect: { padShortRecords: true, skipRows: 0 } })
    const headers = { 'content-type': 'application/json' }
    const answer = await site.client.ask('POST', `/qas/datasets/${id}/readings`, Buffer.from(declared), headers)
    const again = JSON.parse(answer.body.toString()) as { id: string; rejects: { count: number } }
    assert.equal(again.rejects.count, 1)
    await page.goto(`${site.service.url}/#/datasets/${again.id}/fix`)
    await page.getByText('2 mends do not fit any more').waitFor()
    assert.deepEqual(await page.locator('.note li').allTextContents(), [
      'Line 11: 20,Ada,1815',
      'Line 12: 21,Kurt,1906',
    ])
    await causeOf(page, 'A quote never closes').filter({ hasText: 'Leave them out' }).waitFor()
  })

  it('are corrected by keyboard alone, checked while typed, and lead to the corrected dataset', async () => {
    const { id } = await site.client.upload(people)
    await using page = await openRejects(id)
    await page.getByRole('button', { name: 'Edit: Line 3' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('2 fields, expected 3').nth(1).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.type(',1906')
    // After each key, the page shows how the text is read.
    await page.locator('.read-fields dd', { hasText: /^1906$/ }).waitFor()
    await page.getByText('Can be read:', { exact: true }).waitFor()
    assert.deepEqual(await page.locator('.read-fields dd').allTextContents(), ['2', 'Grace', '1906'])
    await page.keyboard.press('Enter')
    await page.locator('[aria-label="Corrected text: Line 6"]:focus').waitFor()
    await page.keyboard.type('x')
    await page.getByText('1 of 4 mended · 1 still wrong').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 of 4 mended · nothing').waitFor()
    await page.getByLabel('Corrected text: Line 3').press('Control+Enter')
    await page.getByText('Corrected: 1', { exact: true }).waitFor()
    const corrected = idOf(page)
    assert.notEqual(corrected, id)
    assert.equal(await csvOf(corrected), `${first}2,Grace,1906\n${rest}`)
    await page.getByRole('heading', { name: 'Corrected records (1)' }).waitFor()
    assert.deepEqual(await page.locator('.diff').last().locator('ins').allTextContents(), [',1906'])
    await page.goBack()
    await page.getByRole('link', { name: 'Fix 4' }).waitFor()
    assert.equal(idOf(page), id)
  })

  it('that are still wrong stay with their reason, after a reload and in the corrected dataset', async () => {
    const { id } = await site.client.upload(people)
    await using page = await openRejects(id)
    const edit = async (cause: string, line: number, text: string) => {
      await causeOf(page, cause).click()
      await page.getByRole('button', { name: `Edit: Line ${line}` }).click()
      await page.getByLabel(`Corrected text: Line ${line}`).fill(text)
    }
    await edit('Too many fields', 5, '4,Kurt,1906')
    await edit('Text after a closing quote', 4, '3,"Alan",1912,more')
    await edit('Fields are missing', 3, '2,Grace,1906\n9,Another,1900')
    await page.getByText('2 records, expected 1').waitFor()
    await page.getByText('1 of 4 mended · 2 still wrong').waitFor()
    await page.reload()
    await page.getByText('1 of 4 mended · 2 still wrong').waitFor()
    await page.getByRole('button', { name: /^Store/ }).click()
    await page.getByText('Corrected: 1', { exact: true }).waitFor()
    await causeOf(page, 'Text after a closing quote').click()
    await page.locator('.correction .warn', { hasText: '4 fields, expected 3' }).waitFor()
    assert.equal(await page.getByLabel('Corrected text: Line 4').inputValue(), '3,"Alan",1912,more')
    await page.getByText('0 of 3 mended · 2 still wrong').waitFor()
    await page.getByLabel('Corrected text: Line 4').fill('3,Alan,1912')
    await page.getByRole('button', { name: /^Store/ }).click()
    await page.getByRole('heading', { name: 'Corrected records (2)' }).waitFor()
    assert.equal(await csvOf(idOf(page)), `${first}3,Alan,1912\n4,Kurt,1906\n${rest}`)
  })

  it('are tried again after a failure, and keep what is typed while they are sent', async () => {
    const { id } = await site.client.upload('a,b\n1,2\n3,4,5\n6,7\n8,9,10\n11,12\n')
    await using page = await openRejects(id)
    await page
      .getByText(/mends \d of 2$/)
      .first()
      .waitFor()
    await page.route('**/corrections/preview', (route) => route.abort(), { times: 1 })
    await page.getByRole('button', { name: 'Edit: Line 3' }).click()
    await page.getByLabel('Corrected text: Line 3').fill('3,45')
    await page.getByRole('alert').first().waitFor()
    await page.getByText('1 of 2 mended').waitFor()
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
    const typed = Promise.withResolvers<void>()
    await page.route('**/corrections', async (route) => {
      await typed.promise
      await route.continue()
    })
    await page.getByRole('button', { name: /^Store/ }).click()
    await page.getByRole('button', { name: 'sending' }).waitFor()
    assert.equal(await page.getByLabel('Corrected text: Line 3').isEditable(), false)
    await page.getByRole('button', { name: 'Edit: Line 5' }).click()
    await page.getByLabel('Corrected text: Line 5').fill('8,910')
    typed.resolve()
    await page.getByText('Corrected: 1', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Corrected text: Line 5').inputValue(), '8,910')
    assert.equal(await csvOf(idOf(page)), 'a,b\n1,2\n3,45\n6,7\n11,12\n')
  })

  it('that break a declared schema stay with the reason from the service', async () => {
    const schema = { fields: [{ name: 'id' }, { name: 'age', type: 'integer', constraints: { minimum: 0 } }] }
    const form = new FormData()
    form.append('schema', JSON.stringify(schema))
    form.append('file', new Blob(['id,age\na,1\nb,-2\nc,3\n']), 'ages.csv')
    const sent = await fetch(`${site.service.url}/qas/uploadCsv`, { method: 'POST', body: form })
    const { id } = (await sent.json()) as { id: string }
    await using page = await openRejects(id)
    await page.locator('.reject mark', { hasText: /^-2$/ }).waitFor()
    await page.getByRole('button', { name: 'Edit: Line 3' }).click()
    const field = page.getByLabel('Corrected text: Line 3')
    await field.fill('b,-7')
    // Before it is sent: the service tries it with the schema.
    await page.locator('.correction .warn', { hasText: 'minimum' }).waitFor()
    await page.getByText('0 of 1 mended · 1 still wrong').waitFor()
    assert.equal(idOf(page), id)
    await field.fill('b,2')
    await page.getByText('1 of 1 mended').waitFor()
    await page.getByRole('button', { name: /^Store/ }).click()
    await page.getByText('Corrected: 1', { exact: true }).waitFor()
    assert.equal(await csvOf(idOf(page)), 'id,age\na,1\nb,2\nc,3\n')
  })

  it('are corrected by a file edited elsewhere', async () => {
    const { id } = await site.client.upload(people)
    await using page = await openRejects(id)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Rejects as CSV' }).click(),
    ])
    const edited = readFileSync(await saved.path(), 'utf8')
      .replace('"2,Grace"', '"2,Grace,1906"')
      .replace('1906,x', '1906,x,y')
    await page.getByLabel('Send the edited file').setInputFiles({
      name: 'edited.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(edited),
    })
    await page.getByText('Corrected: 1 · 1 still wrong').waitFor()
    await page.getByText('Record 5: 5 fields, expected 3').waitFor()
    assert.equal(await csvOf(idOf(page)), `${first}2,Grace,1906\n${rest}`)
  })

  it('show invalid bytes, control characters and other encodings in place', async () => {
    const name = Buffer.from('id;name\n1;J\xfcrgen\n2;Zo\xeb;\xe9\xe9\n3;\0nul\n', 'latin1')
    const { id } = await site.client.upload(name)
    await using page = await openRejects(id)
    await page.locator('.reject mark', { hasText: /^éé$/ }).waitFor()
    await causeOf(page, 'NUL byte').click()
    await page.locator('.reject mark', { hasText: /^␀$/ }).waitFor()
    const broken = Buffer.concat([
      Buffer.from(`id,name\n1,${'ü'.repeat(40)}\n2,J`),
      Buffer.of(0xfc),
      Buffer.from('rg\n'),
    ])
    await page.goto(`${site.service.url}/#/datasets/${(await site.client.upload(broken)).id}/fix`)
    await page.locator('.reject mark', { hasText: '\ufffd' }).waitFor()
    await page.getByRole('button', { name: 'Edit: Line 3' }).click()
    await page.getByLabel('Corrected text: Line 3').fill('2,Jürg')
    await page.getByRole('button', { name: /^Store/ }).click()
    await page.getByText('Corrected: 1', { exact: true }).waitFor()
    assert.match(await csvOf(idOf(page)), /\n2,Jürg\n/)
  })

  it('have no axe violations while they are corrected, in light and dark, wide and on a phone', async () => {
    const { id } = await site.client.upload(people)
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [2560, 390, 320]) {
        await using page = await openRejects(id, { colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        await page.getByRole('button', { name: 'Edit: Line 3' }).click()
        await causeOf(page, 'Too many fields').click()
        await page.getByRole('button', { name: 'Edit: Line 5' }).click()
        await page.getByLabel('Corrected text: Line 5').fill('4,Kurt,1906')
        await page.getByText('1 of 4 mended · 1 still wrong').waitFor()
        assert.deepEqual(await axeViolations(page), [], `${colorScheme} ${width}`)
        assert.ok((await overflowOf(page)) <= 0, `too wide at ${width}`)
      }
    }
  })
})

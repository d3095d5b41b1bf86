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

  it('are grouped by reason, each with its text and the place of the fault', async () => {
    const { id } = await site.client.upload(people)
    await using page = await openRejects(id)
    await page.getByRole('heading', { name: 'Too few fields too_few_fields' }).waitFor()
    await page.getByRole('heading', { name: 'Text after a closing quote' }).waitFor()
    const marks = page.locator('.reject mark')
    await marks.nth(3).waitFor()
    assert.deepEqual(await marks.allTextContents(), ['', '', 'x', 'x'])
    assert.equal(
      await page.locator('.reject').filter({ hasText: 'Line 3' }).locator('.record').textContent(),
      '2,Grace',
    )
    await page.getByRole('button', { name: 'Too few fields 2' }).click()
    await page.getByRole('heading', { name: 'Text after a closing quote' }).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.reject').count(), 2)
  })

  it('are paged within a reason, however many others come before', async () => {
    const short = Array.from({ length: 250 }, (_, i) => `${i}\n`).join('')
    const good = Array.from({ length: 900 }, (_, i) => `${i},a\n`).join('')
    const { id } = await site.client.upload(`id,name\n${good}${short}1,2,3\n4,5,6\n`)
    await using page = await openRejects(id)
    const asked: string[] = []
    page.on(
      'request',
      (request) => request.url().includes('/rejects?') && asked.push(request.url().split('?')[1] ?? ''),
    )
    await page.getByRole('button', { name: 'Too many fields 2' }).click()
    await page.locator('.reject', { hasText: '4,5,6' }).waitFor()
    assert.equal(await page.locator('.reject').count(), 2)
    await page.getByRole('button', { name: 'Too few fields 250' }).click()
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
    await page.getByText('Can be read: 1; still wrong: 1').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Can be read: 1; still wrong: 0').waitFor()
    await page.getByLabel('Corrected text: Line 3').press('Control+Enter')
    await page.getByText('Corrected: 1; still wrong: 0').waitFor()
    const corrected = idOf(page)
    assert.notEqual(corrected, id)
    assert.equal(await csvOf(corrected), `${first}2,Grace,1906\n${rest}`)
    await page.getByRole('heading', { name: 'Corrected records (1)' }).waitFor()
    assert.deepEqual(await page.locator('del').allTextContents(), ['2,Grace'])
    await page.getByRole('link', { name: 'The dataset before' }).click()
    await page.getByRole('link', { name: 'Fix 4' }).waitFor()
    assert.equal(idOf(page), id)
  })

  it('that are still wrong stay with their reason, after a reload and in the corrected dataset', async () => {
    const { id } = await site.client.upload(people)
    await using page = await openRejects(id)
    const edit = async (line: number, text: string) => {
      await page.getByRole('button', { name: `Edit: Line ${line}` }).click()
      await page.getByLabel(`Corrected text: Line ${line}`).fill(text)
    }
    await edit(5, '4,Kurt,1906')
    await edit(4, '3,"Alan",1912,more')
    await edit(3, '2,Grace,1906\n9,Another,1900')
    await page.getByText('2 records, expected 1').waitFor()
    await page.getByText('Can be read: 1; still wrong: 2').waitFor()
    await page.reload()
    await page.getByText('Can be read: 1; still wrong: 2').waitFor()
    await page.getByRole('button', { name: 'Send the corrections' }).click()
    await page.getByText('Corrected: 1; still wrong: 0').waitFor()
    await page.locator('.wrong', { hasText: '4 fields, expected 3' }).waitFor()
    assert.equal(await page.getByLabel('Corrected text: Line 4').inputValue(), '3,"Alan",1912,more')
    await page.getByText('Can be read: 0; still wrong: 2').waitFor()
    await page.getByLabel('Corrected text: Line 4').fill('3,Alan,1912')
    await page.getByRole('button', { name: 'Send the corrections' }).click()
    await page.getByRole('heading', { name: 'Corrected records (2)' }).waitFor()
    assert.equal(await csvOf(idOf(page)), `${first}3,Alan,1912\n4,Kurt,1906\n${rest}`)
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
    await page.getByRole('button', { name: 'Send the corrections' }).click()
    await page.getByText('Corrected: 0; still wrong: 1').waitFor()
    await page.locator('.wrong', { hasText: 'minimum' }).waitFor()
    assert.equal(idOf(page), id)
    await field.fill('b,2')
    await page.getByRole('button', { name: 'Send the corrections' }).click()
    await page.getByText('Corrected records: 1.').waitFor()
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
    await page.getByText('Corrected: 1; still wrong: 1').waitFor()
    await page.getByText('Record 5: 5 fields, expected 3').waitFor()
    assert.equal(await csvOf(idOf(page)), `${first}2,Grace,1906\n${rest}`)
  })

  it('show invalid bytes, control characters and other encodings in place', async () => {
    const name = Buffer.from('id;name\n1;J\xfcrgen\n2;Zo\xeb;\xe9\xe9\n3;\0nul\n', 'latin1')
    const { id } = await site.client.upload(name)
    await using page = await openRejects(id)
    await page.locator('.reject mark').nth(1).waitFor()
    assert.deepEqual(await page.locator('.reject mark').allTextContents(), ['éé', '␀'])
    const broken = Buffer.concat([
      Buffer.from(`id,name\n1,${'ü'.repeat(40)}\n2,J`),
      Buffer.of(0xfc),
      Buffer.from('rg\n'),
    ])
    await page.goto(`${site.service.url}/#/datasets/${(await site.client.upload(broken)).id}/fix`)
    await page.locator('.reject mark', { hasText: '\ufffd' }).waitFor()
    await page.getByRole('button', { name: 'Edit: Line 3' }).click()
    await page.getByLabel('Corrected text: Line 3').fill('2,Jürg')
    await page.getByRole('button', { name: 'Send the corrections' }).click()
    await page.getByText('Corrected records: 1.').waitFor()
    assert.match(await csvOf(idOf(page)), /\n2,Jürg\n/)
  })

  it('are found by reason among thousands, and shown a hundred at a time', async () => {
    const records = Array.from({ length: 6_000 }, (_, index) => (index % 2 === 0 ? `${index},"a, b"` : `${index}`))
    const { id } = await site.client.upload(`id,name\n${records.join('\n')}\n1,"b"x\n`)
    await using page = await openRejects(id)
    await page.locator('.reject').nth(99).waitFor()
    assert.equal(await page.locator('.reject').count(), 100)
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.locator('.reject').nth(199).waitFor()
    await page.getByRole('button', { name: 'Text after a closing quote 1' }).click()
    await page.locator('.reject', { hasText: '1,"b"x' }).waitFor()
    assert.equal(await page.locator('.reject').count(), 1)
  })

  it('have no axe violations while they are corrected, in light and dark, wide and on a phone', async () => {
    const { id } = await site.client.upload(people)
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [2560, 390, 320]) {
        await using page = await openRejects(id, { colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
        await page.getByRole('button', { name: 'Edit: Line 3' }).click()
        await page.getByRole('button', { name: 'Edit: Line 5' }).click()
        await page.getByLabel('Corrected text: Line 5').fill('4,Kurt,1906')
        await page.getByText('Can be read: 1; still wrong: 1').waitFor()
        assert.deepEqual(await axeViolations(page), [], `${colorScheme} ${width}`)
        assert.ok((await overflowOf(page)) <= 0, `too wide at ${width}`)
      }
    }
  })
})

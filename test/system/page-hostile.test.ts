// Tests of hostile texts on the page: they stay text wherever they are shown, and run, load or attempt nothing.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { hostileTexts } from '../support/hostile-texts.ts'
import { noBrowser } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const recordOf = (texts: readonly string[]) => `${texts.map(quoted).join(',')}\n`

/** A file with each text as a header, as a cell of each row, and as the beginning of a reject. */
const table = [
  recordOf(hostileTexts),
  ...hostileTexts
    .slice(1)
    .map((_, turn) => recordOf([...hostileTexts.slice(turn + 1), ...hostileTexts.slice(0, turn + 1)])),
  ...hostileTexts.map((text) => recordOf([text, 'too few'])),
].join('')

const dialect = { header: true, quoteChar: '"' }

/** Counts scripts that run, and violations of the page's content security policy. */
const watchScript = `
  Object.assign(globalThis, { runs: 0, ran() { globalThis.runs += 1 }, stopped: [] })
  addEventListener('securitypolicyviolation', ({ blockedURI, violatedDirective }) =>
    globalThis.stopped.push(violatedDirective + ' ' + blockedURI))`

describe('hostile texts on the page', { skip: noBrowser }, () => {
  const site = pageSite()

  const open = async (path: string) => {
    const page = await site.browser.open(`${site.service.url}/${path}`, {}, watchScript)
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    page.on('dialog', (dialog) => loaded.push(dialog.message()))
    return Object.assign(page, { loaded })
  }
  /** Uploads with names encoded as by browsers. */
  const send = async (content: string, name: string) => {
    const form = new FormData()
    form.append('file', new Blob([content]), name)
    assert.equal((await fetch(`${site.service.url}/qas/uploadCsv`, { method: 'POST', body: form })).status, 200, name)
  }
  const checkNothingRan = async (page: Page & { readonly loaded: readonly string[] }) => {
    assert.deepEqual(await page.evaluate('({ runs, stopped })'), { runs: 0, stopped: [] })
    const own = (url: string) =>
      url.startsWith(`${site.service.url}/qas/`) || url.startsWith(`${site.service.url}/assets/`)
    assert.deepEqual(
      page.loaded.filter((url) => !own(url) && !url.startsWith('data:,')),
      [],
    )
    assert.equal(await page.locator('main').locator('script, iframe, object, embed, style, link, img').count(), 0)
  }

  it('stay text in headers, cells, rejects, notes and editors of a dataset', async () => {
    const { id } = await site.client.upload({ content: table, fileName: `${hostileTexts[0]}.csv`, dialect })
    await using page = await open(`#/datasets/${id}`)
    const [markup = ''] = hostileTexts
    await page.locator('td', { hasText: markup }).first().waitFor()
    await page.getByRole('link', { name: 'Receipt' }).click()
    await page.getByRole('rowheader', { name: markup, exact: true }).waitFor()
    await page.getByRole('link', { name: 'Fix 50' }).click()
    await page.getByRole('button', { name: 'One by one' }).click()
    await page.locator('.reject', { hasText: markup }).first().waitFor()
    await page
      .getByRole('button', { name: /^Edit: / })
      .first()
      .click()
    await page.getByLabel(/^Corrected text/).fill(recordOf(hostileTexts).trimEnd())
    await page.locator('.read-fields dd', { hasText: markup }).first().waitFor()
    await page.getByLabel(/^Corrected text/).press('Control+Enter')
    await page.getByRole('heading', { name: 'Corrected records (1)' }).waitFor()
    await page.getByRole('link', { name: 'Rows', exact: true }).click()
    await page
      .getByRole('button', { name: `${markup}: ` })
      .first()
      .click()
    await page.getByRole('heading', { name: markup }).first().waitFor()
    await page.getByRole('link', { name: 'Read it another way' }).click()
    await page.getByRole('region', { name: 'Preview' }).getByRole('cell', { name: markup }).first().waitFor()
    await checkNothingRan(page)
  })

  it('stay text in statements, their errors, their results and their history', async () => {
    const { id } = await site.client.upload({ content: table, fileName: 'statements.csv', dialect })
    await using page = await open(`#/datasets/${id}/sql`)
    const run = async (sql: string) => {
      await page.getByLabel('SQL').fill(sql)
      await page.getByRole('button', { name: 'Run' }).click()
    }
    for (const [i, text] of hostileTexts.entries()) {
      // For an unknown column, DuckDB repeats the name and suggests similar ones, which may be others of these texts.
      await run(`SELECT "no ${i} ${text.replaceAll('"', '""')}" FROM data`)
      const refusal = page.getByRole('alert').filter({ hasNotText: `no ${i - 1} ` })
      const shown = await refusal.textContent()
      assert.ok(shown?.includes(`no ${i} `), shown ?? '')
    }
    const values = hostileTexts.map((text) => `'${text.replaceAll("'", "''")}'`)
    await run(`SELECT unnest([${values.join(', ')}]) AS "${hostileTexts[0]}"`)
    await page.getByRole('gridcell', { name: hostileTexts[1]!, exact: true }).waitFor()
    await checkNothingRan(page)
  })

  it('stay text in file names, in previews and checks, in refusals and in the list', async () => {
    for (const text of hostileTexts) await send(`a,b\n1,${quoted(text)}\n`, `${text}.csv`)
    await using page = await open('')
    const name = `${hostileTexts[3]}.csv`
    const search = page.getByLabel('Search names and columns')
    await search.fill(hostileTexts[3]!)
    await page.getByRole('link', { name, exact: true }).first().waitFor()
    await page.setInputFiles('input[type=file]', [
      { name, mimeType: 'text/csv', buffer: Buffer.from(table) },
      { name: `${hostileTexts[4]}.csv`, mimeType: 'text/csv', buffer: Buffer.from('504b030414000600', 'hex') },
    ])
    await page.getByText('it looks like a zip archive').waitFor()
    await page.getByRole('button', { name: `Check the whole file: ${name}`, exact: true }).click()
    await page.getByText(/ rows \+ 50 rejected/).waitFor()
    await page.getByRole('button', { name: `Send: ${name}`, exact: true }).click()
    await page.getByRole('link', { name: / rows, 50 rejected$/ }).waitFor()
    await search.fill(hostileTexts[5]!)
    await page.getByRole('link', { name: `${hostileTexts[5]}.csv`, exact: true }).waitFor()
    await checkNothingRan(page)
  })
})

// Tests of the ten steps from a messy export to a typed, corrected dataset: by visible labels only, as someone goes who
// has never seen the page, with exports as programs of three kinds write them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** A statement of account: lines above the header, days and amounts as Germans write them, in the bank's encoding. */
function bankStatement(): Buffer {
  const partners = ['Müller & Söhne GmbH', 'Stadtwerke Jena', 'Bäckerei Groß', 'Bahn AG', 'Finanzamt']
  const records = Array.from({ length: 240 }, (_, at) => {
    const day = `${twoDigits(1 + (at % 28))}.${twoDigits(1 + Math.floor(at / 28))}.2026`
    const euros = (((at * 7_919) % 190_000) - 60_000) / 100
    const amount = euros.toLocaleString('de-DE', { minimumFractionDigits: 2 })
    const purpose = at % 60 === 7 ? 'Miete "Haus am See"' : `"RE ${String(at).padStart(6, '0')}; danke"`
    const fields = [day, day, partners[at % 5], purpose, at === 100 ? 'storniert' : amount, 'EUR']
    return fields.slice(0, at % 80 === 33 ? 5 : 6).join(';')
  })
  const preamble = ['"Konto:";"DE02 1203 0000 0000 2020 51"', '"Zeitraum:";"01.01.2026 - 30.09.2026"', '']
  const lines = [...preamble, 'Buchung;Wertstellung;Empfänger;Zweck;Betrag;Währung', ...records]
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1')
}

/** Orders of a shop: ids with leading zeros, addresses of several lines, prices with a sign, and a total. */
function shopOrders(): Buffer {
  const records = Array.from({ length: 180 }, (_, at) => {
    const id = String(at * 13 + 7).padStart(7, '0')
    const address = `"${at % 7 === 0 ? 'c/o ""The Mill""\n' : ''}${at + 1} High Street\nLeeds"`
    const price = `$${(4 + ((at * 37) % 900) / 10).toFixed(2)}`
    const fields = [id, `${twoDigits(1 + (at % 9))}/10/2026`, address, `SKU-${twoDigits(at % 40)}`, price]
    const state = at === 120 ? ['paid', 'gift'] : at === 40 || at === 90 ? [] : [at % 11 === 0 ? 'N/A' : 'paid']
    return [...fields, ...state].join(',')
  })
  return Buffer.from(`Order ID,Placed,Ship To,SKU,Price,Status\n${records.join('\n')}\nTotal,,,,"$8,764.20"\n`)
}

/** What a logger writes: UTF-16, tabs, -999 for a value that is missing, and quotes that it sometimes does not close. */
function sensorLog(): Buffer {
  const records = Array.from({ length: 300 }, (_, at) => {
    const minutes = at * 10
    const day = twoDigits(1 + Math.floor(minutes / 1_440))
    const time = `2026-06-${day} ${twoDigits(Math.floor(minutes / 60) % 24)}:${twoDigits(minutes % 60)}:00`
    const degrees = at % 17 === 5 ? '-999' : (12 + ((at * 31) % 190) / 10).toFixed(1)
    const note = at === 50 || at === 210 ? '"door open' : at % 40 === 1 ? '"calibrated, ok"' : ''
    const fields = [time, `S${1 + (at % 3)}`, degrees, 30 + ((at * 7) % 60), note]
    return fields.slice(0, at === 120 ? 4 : 5).join('\t')
  })
  return Buffer.from(`\ufeff${['time\tstation\ttemp\thumidity\tnote', ...records].join('\r\n')}\r\n`, 'utf16le')
}

/** What someone does with an export, and sees: each by the words on the page. */
interface Visit {
  readonly bytes: Buffer
  readonly facts: RegExp
  readonly account: string
  readonly type: readonly [column: string, type: string]
  readonly nulls?: readonly [column: string, words: string]
  readonly name: readonly [column: string, name: string]
  readonly required: string
  readonly pattern: readonly [column: string, pattern: string]
  readonly sent: string
  readonly filter: readonly [column: string, value: string, rows: string]
  readonly sort: readonly [column: string, first: string]
  readonly rule: readonly [cause: string, rule: RegExp, count: string, left: number]
  readonly edit: readonly [cause: string, change: (text: string) => string]
  readonly mended: string
  readonly corrected: string
  readonly sql: readonly [statement: string, result: string]
  readonly downloaded: RegExp
}

const visits: Readonly<Record<string, Visit>> = {
  'umsaetze.csv': {
    bytes: bankStatement(),
    facts: /semicolon · WINDOWS-1252 · with header · Columns: 6/,
    account: '244 records = 1 header + 1 blank + 2 skipped + 237 rows + 3 rejected',
    type: ['Betrag', 'decimal'],
    name: ['Empfänger', 'partner'],
    required: 'Betrag',
    pattern: ['Währung', '([A-Z]{3})?'],
    sent: '236 rows, 4 rejected',
    filter: ['partner', 'Bahn AG', '45 of 236 rows'],
    sort: ['Betrag', '-598.88'],
    rule: ['Fields are missing 3', /^Add the missing fields at the end, empty mends 3 of 3$/, '3', 0],
    edit: ['Values that do not fit: Betrag 1', (text) => text.replace('storniert', '0,00')],
    mended: '4 of 4 mended',
    corrected: '244 records = 1 header + 1 blank + 2 skipped + 240 rows + 0 rejected',
    sql: ["SELECT count(*), sum(Betrag) FROM data WHERE partner LIKE 'Bahn%'", '48'],
    downloaded: /^Buchung,Wertstellung,partner,Zweck,Betrag,Währung\n2026-01-01,.*,-600.00,EUR\n/,
  },
  'orders.csv': {
    bytes: shopOrders(),
    facts: /comma · UTF-8 · with header · Columns: 6/,
    account: '182 records = 1 header + 177 rows + 4 rejected',
    type: ['Placed', 'date'],
    name: ['Ship To', 'address'],
    required: 'SKU',
    pattern: ['Order ID', '\\d{7}'],
    sent: '177 rows, 4 rejected',
    filter: ['Status', 'N/A', '17 of 177 rows'],
    sort: ['Placed', '2026-10-01'],
    rule: ['Fields are missing 3', /^Add the missing fields at the end, empty mends 2 of 3$/, '2', 1],
    edit: ['Too many fields 1', (text) => text.replace(',gift', '')],
    mended: '3 of 4 mended',
    corrected: '182 records = 1 header + 180 rows + 1 rejected',
    sql: ["SELECT count(*) FROM data WHERE Placed = DATE '2026-10-03'", '20'],
    downloaded: /^Order ID,Placed,address,SKU,Price,Status\n0000007,2026-10-01,/,
  },
  'station.tsv': {
    bytes: sensorLog(),
    facts: /tab · UTF-16LE · with header · Columns: 5/,
    account: '301 records = 1 header + 297 rows + 3 rejected',
    type: ['humidity', 'decimal'],
    nulls: ['temp', '-999'],
    name: ['temp', 'degrees'],
    required: 'time',
    pattern: ['station', 'S\\d'],
    sent: '297 rows, 3 rejected',
    filter: ['station', 'S2', '100 of 297 rows'],
    sort: ['degrees', '12.0'],
    rule: ['A quote never closes 2', /^Close the quote mends 2 of 2$/, '2', 0],
    edit: ['Fields are missing 1', (text) => `${text}\t`],
    mended: '3 of 3 mended',
    corrected: '301 records = 1 header + 300 rows + 0 rejected',
    sql: ['SELECT count(*) FROM data WHERE degrees IS NULL', '18'],
    downloaded: /^time,station,degrees,humidity,note\n2026-06-01 00:00:00,/,
  },
}

/** Drops a file somewhere on the page, as from a folder beside it. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(`
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (character) => character.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], '${name}'))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))`)
}

describe('ten steps from an export to a dataset', { skip: noBrowser }, () => {
  const site = pageSite()

  for (const [file, visit] of Object.entries(visits)) {
    it(`lead from ${file} as it was exported to a typed, corrected dataset`, async () => {
      await using page = await site.browser.open(site.service.url)
      const button = (name: string | RegExp) => page.getByRole('button', { name })
      const link = (name: string | RegExp) => page.getByRole('link', { name })
      const fill = async (label: string, text: string) => {
        await page.getByLabel(label, { exact: true }).fill(text)
        await page.getByLabel(label, { exact: true }).press('Tab')
      }

      // 1 to 5: choose, read what it is, set a type, a name and rules.
      await drop(page, file, visit.bytes)
      await page.getByText(visit.facts).waitFor()
      await page.getByText(visit.account).waitFor()
      await page.getByLabel(`Type of ${visit.type[0]}`).selectOption({ label: visit.type[1] })
      if (visit.nulls) await fill(`Words that are null in ${visit.nulls[0]}`, visit.nulls[1])
      await fill(`Name of ${visit.name[0]} in the dataset`, visit.name[1])
      await page.getByLabel(`${visit.required} must be filled`).check()
      await fill(`Pattern of ${visit.pattern[0]}`, visit.pattern[1])

      // 6 and 7: send, and look at the rows.
      await button(`Send: ${file}`).click()
      await link(`Open: ${file}, ${visit.sent}`).click()
      await button(new RegExp(`^${visit.filter[0]}: .*Open to filter$`)).click()
      await page.getByRole('listitem').filter({ hasText: visit.filter[1] }).getByRole('button').click()
      await page.getByText(visit.filter[2]).waitFor()
      await page.getByRole('columnheader').getByRole('button', { name: visit.sort[0], exact: true }).click()
      const sorted = page.getByRole('columnheader', { name: visit.sort[0] })
      await page.waitForFunction('document.querySelector("[aria-sort=ascending]") !== null')
      assert.equal(await sorted.getAttribute('aria-sort'), 'ascending')
      await page.getByRole('row').nth(1).getByRole('gridcell', { name: visit.sort[1], exact: true }).waitFor()

      // 8: fix by a rule, and one record by hand.
      await link(/^Fix \d/).click()
      await link(visit.rule[0]).click()
      await page.getByRole('radio', { name: visit.rule[1] }).check()
      await button(`Mend ${visit.rule[2]} records`).click()
      const toEdit = button(/^Edit: Line/)
      for (let at = 0; at < visit.rule[3]; at += 1) await toEdit.nth(at).waitFor()
      await toEdit.nth(visit.rule[3]).waitFor({ state: 'detached' })
      await link(visit.edit[0]).click()
      await toEdit.click()
      const text = page.getByLabel(/^Corrected text: Line/)
      await text.fill(visit.edit[1](await text.inputValue()))
      await page.getByText(visit.mended).waitFor()
      await button(/^Store \d corrections as a new version$/).click()
      await page.getByText(visit.corrected).waitFor()

      // 9 and 10: SQL, a download, the trash and back.
      await link('SQL').click()
      await page.getByLabel('SQL', { exact: true }).fill(visit.sql[0])
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('gridcell', { name: visit.sql[1], exact: true }).waitFor()
      await button('Download').click()
      const saving = page.waitForEvent('download')
      await page.getByRole('link', { name: 'CSV with these names and types' }).click()
      assert.match(readFileSync(await (await saving).path(), 'utf8'), visit.downloaded)
      assert.equal(await page.locator('.menu:popover-open').count(), 0)
      await button(`Delete: ${file}`).click()
      await link('Trash 1').click()
      await page.getByLabel(`Select ${file}`).check()
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Put back' }).click()
      await page.getByText('Nothing here.').waitFor()
      await link('CSV Upload, all datasets').click()
      await page.getByRole('link', { name: file, exact: true }).waitFor()
    })
  }
})

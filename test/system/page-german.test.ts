// Tests of the page in German: every sentence about a file is German, before and after it is sent.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { axeViolations, chooseFile, noBrowser, overflowOf } from '../support/page-browser.ts'
import { pageSite } from '../support/page-site.ts'

const messy = `Bericht\nplz;stadt;betrag\n00123;Köln;1,50\n00124;Düren\n00125;Bonn;2,25\n00126;Aachen;3,00;x\n`

describe('the page in German', { skip: noBrowser }, () => {
  const site = pageSite()

  const options = { locale: 'de-DE', bypassCSP: true }
  const englishOf = (page: Page) => page.locator('main [lang=en]').allTextContents()

  it('shows the results of a check, and says what is not CSV', async () => {
    await using page = await site.browser.open(site.service.url, options)
    await chooseFile(page, 'mappe.csv', Buffer.from('504b030414000600080000000000000000000000786c2f', 'hex'))
    await page.getByText('Die Datei ist eine Excel-Mappe (.xlsx), kein CSV.').waitFor()
    await chooseFile(page, 'orte.csv', messy)
    await page.getByRole('button', { name: 'Ganze Datei prüfen: orte.csv' }).click()
    await page.getByText(/2 Zeilen \+ 2 abgelehnt/).waitFor()
    await page.getByText('zu wenige Felder, erwartet werden 3').waitFor()
    await page.getByText('Hinweise (').click()
    await page.getByText('Datensätze über der Tabelle wurden als Titel übersprungen.').waitFor()
    await page.getByText('Text: Werte haben führende Nullen').waitFor()
    await page.getByText('alle 2 Werte sind Zahlen mit 2 Nachkommastellen, geschrieben wie 1234,56').waitFor()
    assert.deepEqual(await englishOf(page), [])
  })

  it('says how a file was read, why columns have their types, and why records were rejected', async () => {
    const { id } = await site.client.upload({ content: messy, fileName: 'orte.csv' })
    await using page = await site.browser.open(`${site.service.url}/#/datasets/${id}/receipt`, options)
    await page.getByText('Zeichensatz utf-8: Die Bytes am Anfang der Datei passen dazu.').waitFor()
    await page.getByText('Trennzeichen „;“: 3 von 6 Datensätzen am Anfang der Datei haben 3 Felder').waitFor()
    await page.getByText('Spalte plz: Werte haben führende Nullen; sie bleiben Text.').waitFor()
    assert.deepEqual(await englishOf(page), [])
    assert.deepEqual(await axeViolations(page), [])
    await page.getByRole('link', { name: 'Berichtigen 2' }).click()
    await page.getByText('zu wenige Felder, erwartet werden 3').first().waitFor()
    await page.getByRole('button', { name: 'Bearbeiten: Zeile 4' }).click()
    await page.getByRole('textbox').fill('00124;"Düren;9,00')
    await page.getByText('ein Anführungszeichen wird nicht geschlossen').waitFor()
    await page.getByRole('textbox').fill('00124;Düren;9,00')
    await page.getByText('Lesbar:', { exact: true }).waitFor()
    assert.deepEqual(await englishOf(page), [])
    await page.locator('.causes a').nth(1).click()
    await page.getByText('zu viele Felder, erwartet werden 3').first().waitFor()
    assert.deepEqual(await englishOf(page), [])
  })

  it('shows a filter with a decimal comma, and takes it so', async () => {
    const { id } = await site.client.upload({ content: 'n,name\n12.5,a\n13.5,b\n7.0,1.5\n', fileName: 'zahlen.csv' })
    await using page = await site.browser.open(`${site.service.url}/#/datasets/${id}`, options)
    await page.getByRole('button', { name: /^n: / }).click()
    const from = page.getByRole('textbox', { name: 'Von' })
    await from.fill('12,5')
    await from.press('Enter')
    await page.getByText('n ≥ 12,5', { exact: true }).waitFor()
    await page.getByText('2 von 3 Zeilen').waitFor()
    assert.equal(await from.inputValue(), '12,5')
    await page.getByRole('button', { name: /^name: / }).click()
    await page.getByRole('textbox', { name: 'Gesuchter Wert' }).fill('1.5')
    await page.getByRole('textbox', { name: 'Gesuchter Wert' }).press('Enter')
    await page.getByText('name enthält 1.5', { exact: true }).waitFor()
  })

  it('says what went wrong, with the place as reported by DuckDB', async () => {
    const { id } = await site.client.upload({ content: messy, fileName: 'orte.csv' })
    await using page = await site.browser.open(`${site.service.url}/#/datasets/${id}/sql`, options)
    await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT x')
    await page.getByRole('button', { name: 'Ausführen' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Es gibt keine Spalte „x“.').waitFor()
    assert.equal(await alert.locator('[lang=en]').count(), 1)
    await alert.getByText('Für Fachleute').click()
    await alert.locator('[lang=en]', { hasText: 'Referenced column' }).waitFor()
    assert.equal(await overflowOf(page), 0)
    await page.goto(`${site.service.url}/#/datasets/${'0'.repeat(32)}`)
    await page.getByText('Diese Tabelle gibt es nicht, oder sie wurde gelöscht.').waitFor()
    assert.deepEqual(await englishOf(page), [])
  })
})

// Write screenshots: opens each view of the page in a real browser and keeps its picture, for `npm run screenshots`.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { RunningService, scratchDir } from '../support/running-service.ts'

const imagesDir = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
if (program === undefined) throw new Error('Cannot take screenshots: there is no Chromium at a usual path')

/** Orders of a made-up shop, the same every time: some records are broken on purpose. */
function orders(count: number): string {
  const cities = ['Lisbon', 'Kraków', 'Osaka', 'Nairobi', 'Lima', 'Tromsø']
  const records = Array.from({ length: count }, (_, index) => {
    const day = String(1 + (index % 28)).padStart(2, '0')
    const amount = (((index * 7_919) % 50_000) / 100 + 5).toFixed(2)
    const note = index % 9 === 0 ? '"urgent, call first"' : ''
    const record = `${String(index + 1).padStart(6, '0')},${cities[(index * 5 + (index >> 3)) % cities.length]},2026-03-${day},${amount},${note}`
    return index % 997 === 500 ? record.slice(0, record.lastIndexOf(',')) : record
  })
  return `order,city,placed,amount,note\n${records.join('\n')}\n`
}

await using scratch = await scratchDir()
await using service = await RunningService.start(join(scratch.path, 'data'))
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
mkdirSync(imagesDir, { recursive: true })
for (const colorScheme of ['light', 'dark'] as const) {
  const context = await browser.newContext({ colorScheme, locale: 'en-US', viewport: { width: 1_120, height: 760 } })
  const page = await context.newPage()
  const keep = async (name: string) => {
    await page.waitForLoadState('networkidle')
    await page.getByText('Loading…').waitFor({ state: 'hidden' })
    await page.screenshot({ path: join(imagesDir, `${name}-${colorScheme}.png`) })
  }
  await page.goto(service.url)
  const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(orders(20_000)) }
  await page.setInputFiles('input[type=file]', file)
  await page.getByRole('cell', { name: 'Osaka' }).first().waitFor()
  await keep('preview')
  await page.getByRole('button', { name: 'Send: orders.csv' }).click()
  const link = page.getByRole('link', { name: /records accepted/ })
  await link.waitFor()
  await keep('upload')
  await link.click()
  for (const tab of ['Receipt', 'Rows', 'Rejects', 'Columns', 'SQL']) {
    await page.getByRole('navigation').getByRole('link', { name: tab }).first().click()
    if (tab === 'SQL') {
      await page
        .getByLabel('SQL')
        .fill('SELECT city, count(*) AS orders, sum(amount) AS total\nFROM data GROUP BY city ORDER BY total DESC')
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('cell', { name: 'Osaka' }).waitFor()
    }
    await keep(tab.toLowerCase())
  }
  await context.close()
}
await browser.close()

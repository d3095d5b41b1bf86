// Write screenshots: opens each view of the page in a real browser and saves a screenshot, for `npm run screenshots`.
// With a directory as its argument, it writes every view there, at four widths, for inspection.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { RunningService, scratchDir } from '../support/running-service.ts'

const imagesDir = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)
if (program === undefined) throw new Error('Cannot take screenshots: no Chromium found at the usual paths')

/** Orders of a fictional shop, always the same; some records are broken on purpose. */
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

const sql = 'SELECT city, count(*) AS orders, sum(amount) AS total\nFROM data GROUP BY city ORDER BY total DESC'

/** Each view, reached from the previous one. */
const views: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['first', (page) => page.getByRole('heading', { name: 'Every record becomes a row' }).waitFor()],
  [
    'check',
    async (page) => {
      const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(orders(20_000)) }
      await page.setInputFiles('input[type=file]', file)
      await page.getByRole('button', { name: 'Check the whole file: orders.csv' }).click()
      await page.getByText('read on this device').waitFor()
    },
  ],
  [
    'home',
    async (page) => {
      await page.getByRole('button', { name: 'Send: orders.csv' }).click()
      await page.getByRole('link', { name: 'orders.csv', exact: true }).waitFor()
    },
  ],
  [
    'rows',
    async (page) => {
      await page.getByRole('link', { name: 'orders.csv', exact: true }).click()
      await page.getByRole('gridcell', { name: 'Osaka' }).first().waitFor()
      await page.getByRole('columnheader', { name: 'amount' }).getByRole('button').last().click()
      await page.getByText('Median').waitFor()
    },
  ],
  [
    'fix',
    async (page) => {
      await openTab(page, 'Fix')
      await page.locator('.diff ins').first().waitFor()
    },
  ],
  [
    'sql',
    async (page) => {
      await openTab(page, 'SQL')
      await page.getByLabel('SQL', { exact: true }).fill(sql)
      await page.keyboard.press('Escape')
      await runQuickly(page)
    },
  ],
  ['receipt', (page) => openTab(page, 'Receipt')],
  ['read', (page) => page.getByRole('link', { name: 'Read it another way' }).first().click()],
  ['trash', (page) => page.goto(`${new URL(page.url()).origin}/#/trash`)],
]
/** Views whose screenshots are in the docs. */
const kept = new Set(['first', 'check', 'home', 'rows', 'fix', 'sql', 'receipt', 'trash'])

/** Repeats while the machine is busy with something else, since the picture shows how long it took. */
async function runQuickly(page: Page): Promise<void> {
  for (let runs = 0; runs < 30; runs += 1) {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('gridcell', { name: 'Osaka' }).first().waitFor()
    const said = await page.getByText(/rows in [\d,]+ ms/).textContent()
    if (Number(/in ([\d,]+) ms/.exec(said ?? '')?.[1]?.replace(',', '')) <= 100) return
    await page.waitForTimeout(500)
  }
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).first().click()
}

interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

/** A separate service, so that each round begins without datasets. */
async function takeAll(
  browser: Browser,
  { colorScheme, width, height }: Look,
  pathOf: (view: string) => string | null,
) {
  await using scratch = await scratchDir()
  await using service = await RunningService.start(join(scratch.path, 'data'))
  const context = await browser.newContext({ colorScheme, locale: 'en-US', viewport: { width, height } })
  const page = await context.newPage()
  await page.goto(service.url)
  for (const [name, reach] of views) {
    await reach(page)
    await page.getByText('Loading…').first().waitFor({ state: 'hidden' })
    await page.locator('.skeleton').first().waitFor({ state: 'hidden' })
    const path = pathOf(name)
    if (path !== null) await page.screenshot({ path })
  }
  await context.close()
}

const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
const [dir] = process.argv.slice(2)
mkdirSync(dir ?? imagesDir, { recursive: true })
for (const colorScheme of ['light', 'dark'] as const) {
  if (dir === undefined) {
    const pathOf = (view: string) => (kept.has(view) ? join(imagesDir, `${view}-${colorScheme}.png`) : null)
    await takeAll(browser, { colorScheme, width: 1_120, height: 760 }, pathOf)
  } else {
    for (const width of [320, 390, 1_280, 2_560]) {
      const look = { colorScheme, width, height: width < 1_000 ? 844 : 1_000 }
      await takeAll(browser, look, (view) => join(dir, `${view}-${width}-${colorScheme}.png`))
    }
  }
}
await browser.close()

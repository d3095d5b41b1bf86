// Page browser: a real browser for tests of the page, with a context per test. Errors on the page fail the test.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { stillMsMax } from './until.ts'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Why tests are skipped; false if there is a browser. */
export const noBrowser = program === undefined && 'there is no Chromium at a usual path'

const quietFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export type OpenPage = Page & AsyncDisposable

export class PageBrowser implements AsyncDisposable {
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  static async launch(): Promise<PageBrowser> {
    return new PageBrowser(await chromium.launch(launching))
  }

  /** Opens a page in its own context; an error on it fails the test. `script` runs before the scripts of the page. */
  async open(url: string, options: BrowserContextOptions = {}, script = ''): Promise<OpenPage> {
    const context = await this.#browser.newContext({ locale: 'en-US', viewport, ...options })
    await context.addInitScript(script)
    return watched(context, url)
  }

  /** Memory of the renderer processes: now, and the sum of their peaks. */
  async pageMemory(): Promise<{ readonly bytes: number; readonly peakBytes: number }> {
    const session = await this.#browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    await session.detach()
    const statuses = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => readFileSync(`/proc/${id}/status`, 'latin1'))
    const sum = (name: string) =>
      statuses.reduce((total, status) => total + Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]), 0)
    return { bytes: sum('VmRSS') * 1_024, peakBytes: sum('VmHWM') * 1_024 }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
  }
}

/** For other ways to use the browser. */
export const launching = { executablePath: program!, args: quietFlags, timeout: stillMsMax() }
const viewport = { width: 1280, height: 900 }

async function watched(context: BrowserContext, url: string): Promise<OpenPage> {
  context.setDefaultTimeout(stillMsMax())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  // The console reports refused requests as errors, but tests provoke some on purpose.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  // The page asks before it is left during an upload.
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto(url)
  return Object.assign(page, {
    [Symbol.asyncDispose]: async () => {
      await context.close()
      assert.deepEqual(errors, [])
    },
  })
}

/** Chooses one file, as with the file dialog. */
export function chooseFile(page: Page, name: string, content: string | Buffer): Promise<void> {
  return page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(content) })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const axeRun = `axe.run({ runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] } })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`

/** Violations found by axe; the page needs `bypassCSP`. */
export async function axeViolations(page: Page): Promise<unknown> {
  await page.evaluate(axe)
  return page.evaluate(axeRun)
}

/** Number of pixels by which a page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
}

/** Number of pixels by which a page, of which only `main` is to scroll, is higher than its window. */
export async function overflowBelow(page: Page): Promise<number> {
  return Number(await page.evaluate('document.documentElement.scrollHeight - innerHeight'))
}

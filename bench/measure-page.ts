// Measure page: what a user waits for, in a real browser: the first load, the first row of a large file, scrolling.
import { existsSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { chromium, type Page } from 'playwright-core'
import type { Bench } from './bench.ts'
import { median } from './statistics.ts'

export interface PageFigures {
  /** The page, its script and its style sheet, each compressed separately. */
  readonly firstLoadGzipBytes: number
  /** From the start of the navigation until the page accepts files; median. */
  readonly interactiveMs: number
  /** From choosing a file of 1000 MB to its first row; median. */
  readonly previewMs: number
  readonly scroll: ScrollFigures
}

/** Figures of a table that is scrolled continuously. */
interface ScrollFigures {
  readonly rows: number
  readonly framesPerSecond: number
  readonly longestFrameMs: number
}

const rounds = 5
const fileBytes = 1_036_000_000
const scrollMs = 5_000
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Records when a file is chosen and when its first row is shown. */
const previewScript = `
  addEventListener('change', () => { globalThis.chosenMs = performance.now() }, true)
  new MutationObserver(() => {
    if (document.querySelector('.preview td')) globalThis.shownMs ??= performance.now()
  }).observe(document, { childList: true, subtree: true })`

/** Scrolls on every frame; resolves to the times of the frames. */
const scrollScript = `new Promise((resolve) => {
  const view = document.querySelector('.grid-view')
  const times = []
  const step = (nowMs) => {
    times.push(nowMs)
    view.scrollTop += 997
    if (nowMs - times[0] < ${scrollMs}) requestAnimationFrame(step)
    else resolve(times)
  }
  requestAnimationFrame(step)
})`

export async function measurePage(bench: Bench): Promise<PageFigures> {
  if (program === undefined) throw new Error('Cannot measure the page: no Chromium found at the usual paths')
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await (await browser.newContext({ viewport: { width: 1_280, height: 900 } })).newPage()
    await page.addInitScript(previewScript)
    const { url } = bench.service
    return {
      firstLoadGzipBytes: await firstLoadGzipBytes(url),
      interactiveMs: await medianOf(() => interactiveMs(page, url)),
      previewMs: await medianOf(() => previewMs(page, url, bench.file({ bytes: fileBytes }))),
      scroll: await measureScroll(page, bench),
    }
  } finally {
    await browser.close()
  }
}

async function firstLoadGzipBytes(url: string): Promise<number> {
  const gzipBytes = async (path: string) => {
    const content = Buffer.from(await (await fetch(url + path)).arrayBuffer())
    return { content, bytes: gzipSync(content, { level: 9 }).length }
  }
  const page = await gzipBytes('/')
  const assets = page.content.toString().matchAll(/"(\/assets\/[^"]+)"/g)
  const sizes = await Promise.all(Array.from(assets, ([, path = '']) => gzipBytes(path)))
  return [page, ...sizes].reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The script of the page has run before this event: the page accepts input. */
async function interactiveMs(page: Page, url: string): Promise<number> {
  await page.goto(url)
  await page.locator('input[type=file]').waitFor({ state: 'attached' })
  return Number(await page.evaluate(`performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`))
}

async function previewMs(page: Page, url: string, path: string): Promise<number> {
  await page.goto(url)
  await page.setInputFiles('input[type=file]', path)
  await page.locator('.preview td').first().waitFor()
  return Number(await page.evaluate('shownMs - chosenMs'))
}

async function measureScroll(page: Page, bench: Bench): Promise<ScrollFigures> {
  const [reply] = await bench.upload([bench.file({ bytes: fileBytes })], 1)
  if (!reply?.datasetId) throw new Error(`Cannot upload the file to scroll: ${reply?.body}`)
  await page.goto(`${bench.service.url}/#/datasets/${reply.datasetId}/rows`)
  await page.locator('.grid td').first().waitFor()
  const times = (await page.evaluate(scrollScript)) as number[] // of the frames
  const rows = Number(await page.locator('.grid').getAttribute('aria-rowcount')) - 1
  await bench.remove(reply)
  const frames = times.slice(1).map((ms, index) => ms - (times[index] ?? ms))
  const totalMs = frames.reduce((sum, ms) => sum + ms, 0)
  return { rows, framesPerSecond: (1_000 * frames.length) / totalMs, longestFrameMs: Math.max(...frames) }
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await measure())
  return median(times)
}

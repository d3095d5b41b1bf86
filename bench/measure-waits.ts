// Measure waits: how long users of the page wait, in a real browser: on a slow device and line, for what other clients
// send, and for their own keys while a large file is checked.
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type Bench, whereAndWhen } from './bench.ts'
import { median } from './statistics.ts'

interface WaitFigures {
  readonly date: string
  readonly machine: string
  /** From the start of the navigation, nothing cached, until a file can be chosen: slowed as `slow` says, and not. */
  readonly usableMs: number
  readonly usableUnslowedMs: number
  /** From the start of curl with 1 KB until an open page shows the dataset; median and longest. */
  readonly liveMs: number
  readonly liveMsMax: number
  /** From a key press until its frame, without a check, and while 300 MB are checked; medians and the longest. */
  readonly keyUncheckedMs: number
  readonly keyMs: number
  readonly keyMsMax: number
}

const rounds = 5
const keysMin = 10
const checkedBytes = 300_000_000
/** A quarter of the CPU; 1.6 Mbit/s. */
const slow = { rate: 4, bytesPerSecond: 200_000, latencyMs: 150 }
const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
)

/** Resolves to the time of the frame in which something is shown. */
const shown = (selector: string) => `new Promise((resolve) => {
  const look = () =>
    document.querySelector(${JSON.stringify(selector)})
      ? requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
      : requestAnimationFrame(look)
  look()
})`

/** Collects the times from key presses to their frames. */
const keyScript = `
  globalThis.keyTimes = []
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => setTimeout(() => keyTimes.push(performance.now() - timeStamp)))
  }, true)`

export async function measureWaits(bench: Bench): Promise<WaitFigures> {
  if (program === undefined) throw new Error('Cannot measure the page: no Chromium found at the usual paths')
  await using browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
  const { url } = bench.service
  const [slowed, unslowed]: [number[], number[]] = [[], []]
  // In turns, so that both meet the same other load.
  for (let round = 0; round < rounds; round += 1) {
    slowed.push(await usableMs(browser, url, true))
    unslowed.push(await usableMs(browser, url, false))
  }
  const live = await liveTimes(browser, bench)
  const key = await keyTimes(browser, bench)
  return {
    ...whereAndWhen(),
    usableMs: median(slowed),
    usableUnslowedMs: median(unslowed),
    liveMs: median(live),
    liveMsMax: Math.max(...live),
    keyUncheckedMs: median(key.unchecked),
    keyMs: median(key.checked),
    keyMsMax: Math.max(...key.checked),
  }
}

async function usableMs(browser: Browser, url: string, isSlow: boolean): Promise<number> {
  await using context = await browser.newContext({ viewport: { width: 1_280, height: 900 } })
  const page = await context.newPage()
  if (isSlow) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slow.rate })
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: slow.latencyMs,
      downloadThroughput: slow.bytesPerSecond,
      uploadThroughput: slow.bytesPerSecond,
    })
  }
  await page.goto(url, { waitUntil: 'commit' })
  const atMs = Number(await page.evaluate(shown('.drop .btn.primary')))
  return atMs - Number(await page.evaluate('performance.timeOrigin'))
}

async function liveTimes(browser: Browser, { service: { url }, directory }: Bench): Promise<readonly number[]> {
  await using context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.live:not(.lost)').waitFor()
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [name, path] = [`live-${round}.csv`, join(directory, 'live.csv')]
    writeFileSync(path, `a,b\n${round},${Date.now()}\n`)
    const seen = page.evaluate(shown(`[title="${name}"]`))
    const startMs = Date.now()
    execFileSync('curl', ['-sS', '-o', '/dev/null', '-F', `file=@${path};filename=${name}`, `${url}/qas/uploadCsv`])
    times.push(Number(await seen) - startMs)
  }
  return times
}

async function keyTimes(browser: Browser, bench: Bench) {
  await using context = await browser.newContext()
  const page: Page = await context.newPage()
  await page.addInitScript(keyScript)
  await page.goto(bench.service.url)
  const search = page.getByLabel('Search names and columns')
  await search.focus()
  for (let key = 0; key < keysMin; key += 1) await page.keyboard.type('a', { delay: 20 })
  const unchecked = (await page.evaluate('keyTimes.splice(0)')) as number[] // what the script has collected
  await page.setInputFiles('input[type=file]', bench.file({ bytes: checkedBytes }))
  await page.getByRole('button', { name: /^Check the whole file/ }).click()
  const stop = page.getByRole('button', { name: /^Stop checking/ })
  await stop.waitFor()
  await search.focus()
  while (await stop.isVisible()) await page.keyboard.type('a', { delay: 20 })
  const checked = (await page.evaluate('keyTimes')) as number[] // what the script has collected
  if (checked.length < keysMin) throw new Error(`Cannot measure keys: only ${checked.length} before the check ended`)
  return { unchecked, checked }
}

// Tests of large files on the page: checking and sending a file takes bounded memory, less than the size of the file.
// `PAGE_FILE_MB=990` tries another size, below the limit of files.
import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { noBrowser, PageBrowser } from '../support/page-browser.ts'
import { RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const fileBytes = Number(process.env.PAGE_FILE_MB ?? 300) * 1_048_576
/** Room for a worker with its WebAssembly, the pieces of the file that it reads, and uncollected garbage. */
const grownBytesMax = 256 * 1_048_576

/** The check alone reads into one buffer, so it takes no more memory for larger files. */
const checkGrownBytesMax = 160 * 1_048_576

test('checking and sending a large file takes bounded memory of the tab', {
  skip: noBrowser || (!seesProcesses && 'this system does not show processes'),
}, async (t) => {
  await using scratch = await scratchDir()
  const path = join(scratch.path, 'large.csv')
  const records = await writeLarge(path)
  await using service = await RunningService.start(join(scratch.path, 'data'))
  await using browser = await PageBrowser.launch()
  await using page = await browser.open(service.url)
  await page.getByLabel('Choose files').waitFor()
  const { bytes: before } = await browser.pageMemory()
  await page.setInputFiles('input[type=file]', path)
  await page.getByRole('region', { name: 'Preview: large.csv' }).getByRole('cell').first().waitFor()
  await page.getByRole('button', { name: 'Check the whole file: large.csv' }).click()
  /** The page shows how far it has come. */
  const shows = (text: string) =>
    until(`the page shows '${text}'`, async () => {
      const shown = await page.locator('body').innerText()
      return shown.includes(text) || shown
    })
  await shows(`${count(records)} rows + 0 rejected`)
  const checked = await browser.pageMemory()
  const checkGrown = checked.peakBytes - before
  assert.ok(checkGrown < checkGrownBytesMax, `the check took ${Math.round(checkGrown / 1_048_576)} MB`)
  await page.getByRole('button', { name: 'Send: large.csv', exact: true }).click()
  await shows(`${count(records)} rows, 0 rejected`)
  const { peakBytes } = await browser.pageMemory()
  const grown = (peak: number) => Math.round((peak - before) / 1_048_576)
  t.diagnostic(
    `${fileBytes} bytes: the tab grew by ${grown(checked.peakBytes)} MB checking, ${grown(peakBytes)} MB in all`,
  )
  assert.ok(peakBytes - before < grownBytesMax, `it grew by ${grown(peakBytes)} MB`)
})

async function writeLarge(path: string): Promise<number> {
  const lines = Array.from(
    { length: 10_000 },
    (_, i) => `${10_000 + i},name ${i % 97},2026-03-${10 + (i % 19)},${i}.25\n`,
  )
  const block = lines.join('')
  const blocks = Math.ceil(fileBytes / block.length)
  await using file = await open(path, 'w')
  await file.write('id,name,day,amount\n')
  for (let i = 0; i < blocks; i += 1) await file.write(block)
  return blocks * lines.length
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

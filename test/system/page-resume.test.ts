// Tests of resuming on the page: an upload continues after pauses, broken connections, reloads, and restarts of the
// service.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Client } from '../support/client.ts'
import { CuttableProxy } from '../support/cuttable-proxy.ts'
import { noBrowser, PageBrowser } from '../support/page-browser.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'

const fileBytes = 12_000_000
/** Bytes let through before an upload is held. */
const heldBytes = 4_000_000
/**
 * More than is let through plus what socket buffers can hold, which still arrives after the page has given up its
 * request. The rest of such an upload needs another request.
 */
const largeFileBytes = heldBytes + socketBytesMax('wmem') + socketBytesMax('rmem') + 2_000_000

/** Maximum buffer size of a connection, for sending or receiving. */
function socketBytesMax(name: 'wmem' | 'rmem'): number {
  const path = `/proc/sys/net/ipv4/tcp_${name}`
  return existsSync(path) ? Number(readFileSync(path, 'utf8').trim().split(/\s+/)[2]) : 4_194_304
}

/** Last change of each file. */
const changed = new Date('2026-01-02T03:04:05Z')

/** A file of about this many bytes, different for each test. */
function contentOf(name: string, bytes = fileBytes): string {
  const record = (i: number) => `${i},${name} ${'x'.repeat(88)}`
  return csvText('n,text', Math.ceil(bytes / record(100_000).length), record)
}

describe('an upload of the page', { skip: noBrowser }, () => {
  let dataDir: string
  let scratchPath: string
  let service: RunningService
  let proxy: CuttableProxy
  let browser: PageBrowser
  const closing = new AsyncDisposableStack()

  before(async () => {
    scratchPath = closing.use(await scratchDir()).path
    dataDir = join(scratchPath, 'data')
    service = await RunningService.start(dataDir)
    closing.defer(() => service[Symbol.asyncDispose]())
    proxy = closing.use(await CuttableProxy.to(service.url))
    browser = closing.use(await PageBrowser.launch())
  })
  after(() => closing.disposeAsync())

  const choose = async (page: Page, name: string, content: string) => {
    const path = join(scratchPath, name)
    await writeFile(path, content)
    await utimes(path, changed, changed)
    await page.setInputFiles('input[type=file]', path)
  }
  /** The uploads that the service is receiving. */
  const receivingNow = async () => {
    const answer = await new Client(service.url).get('/qas/uploads?limit=50')
    const { uploads } = JSON.parse(answer.toString()) as {
      uploads: { phase: string; bytes: { received: number } }[]
    }
    return uploads.filter(({ phase }) => phase === 'receiving')
  }
  const sendHeld = async (page: Page, name: string) => {
    proxy.holdAfter(heldBytes)
    await page.getByRole('button', { name: `Send: ${name}`, exact: true }).click()
    await until('the upload is held up', () => proxy.isHolding)
    // Bytes not yet read from a connection are lost when it breaks.
    const isThere = async () => (await receivingNow()).some(({ bytes }) => bytes.received > heldBytes / 2)
    await until('the service has more than half of what was let through', isThere)
  }
  /** Collects the offset of each request that adds bytes. */
  const offsetsOf = (page: Page) => {
    const offsets: number[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
    })
    return offsets
  }
  /** Asserts that the dataset has the file, byte for byte. */
  const checkDone = async (page: Page, content: string) => {
    const link = page.getByRole('link', { name: / rows, 0 rejected$/ })
    await link.waitFor()
    const id = /datasets\/([0-9a-f]{32})/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? ''
    const client = new Client(service.url)
    assert.ok((await client.get(`/qas/datasets/${id}/original`)).equals(Buffer.from(content)))
  }

  it('is paused and resumed, and shows its records', async () => {
    const content = contentOf('paused', largeFileBytes)
    await using page = await browser.open(proxy.url)
    const offsets = offsetsOf(page)
    await choose(page, 'paused.csv', content)
    await sendHeld(page, 'paused.csv')
    await page.getByText(/\d records, 0 rejected/).waitFor()
    await page.getByRole('button', { name: 'Pause: paused.csv' }).click()
    await page.getByText(/paused$/).waitFor()
    proxy.release()
    await page.getByRole('button', { name: 'Resume: paused.csv' }).click()
    await checkDone(page, content)
    assert.ok(offsets.length >= 2 && offsets.at(-1)! > heldBytes / 2, `sent from ${offsets}`)
  })

  it('continues by itself after the connection broke', async () => {
    const content = contentOf('cut')
    await using page = await browser.open(proxy.url)
    const offsets = offsetsOf(page)
    await choose(page, 'cut.csv', content)
    await sendHeld(page, 'cut.csv')
    proxy.cut()
    await page.locator('.said', { hasText: 'interrupted; trying again' }).waitFor()
    proxy.release()
    proxy.restore()
    await checkDone(page, content)
    assert.ok(offsets.length >= 2 && offsets.at(-1)! > heldBytes / 2, `sent from ${offsets}`)
  })

  it('continues by itself after the service was killed and restarted', async () => {
    const content = contentOf('killed')
    await using page = await browser.open(proxy.url)
    await choose(page, 'killed.csv', content)
    await sendHeld(page, 'killed.csv')
    service.kill('SIGKILL')
    await service.ended
    await page.locator('.said', { hasText: 'interrupted; trying again' }).waitFor()
    proxy.release()
    service = await RunningService.start(dataDir)
    proxy.lead(service.url)
    await checkDone(page, content)
  })

  it('continues after a reload when the same file is chosen again', async () => {
    const content = contentOf('again', largeFileBytes)
    await using page = await browser.open(proxy.url)
    await choose(page, 'again.csv', content)
    await sendHeld(page, 'again.csv')
    await page.reload()
    proxy.release()
    await page.getByText('Choose or drop the same file again').waitFor()
    await choose(page, 'again.csv', `N${content.slice(1)}`)
    await page.getByRole('button', { name: 'Remove: again.csv' }).click()
    await choose(page, 'again.csv', content)
    await checkDone(page, content)
  })

  it('can be watched live by others, with its record counts', async () => {
    const content = contentOf('watched')
    await using page = await browser.open(proxy.url)
    await choose(page, 'watched.csv', content)
    await sendHeld(page, 'watched.csv')
    await using other = await browser.open(service.url)
    const asked: string[] = []
    other.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const item = other.getByRole('listitem').filter({ hasText: 'watched.csv' })
    await item.getByText(/\d records, 0 rejected/).waitFor()
    proxy.release()
    await checkDone(page, content)
    await item.waitFor({ state: 'detached' })
    // One stream of events tells all of it.
    assert.deepEqual(
      asked.filter((path) => path.startsWith('/qas/uploads')),
      [],
    )
  })

  it('stays cancelled, and no other tab takes it over', async () => {
    await using page = await browser.open(proxy.url)
    await choose(page, 'cancelled.csv', contentOf('cancelled'))
    await sendHeld(page, 'cancelled.csv')
    const other = await page.context().newPage()
    await other.goto(proxy.url)
    await other.getByRole('button', { name: 'Cancel: cancelled.csv' }).waitFor()
    assert.equal(await other.getByRole('button', { name: 'Pause: cancelled.csv' }).count(), 0)
    await page.getByRole('button', { name: 'Cancel: cancelled.csv' }).click()
    proxy.release()
    await page.getByText('cancelled', { exact: true }).waitFor()
    await other.getByRole('button', { name: 'Cancel: cancelled.csv' }).waitFor({ state: 'detached' })
    await until('the service receives no upload', async () => (await receivingNow()).length === 0)
    await page.reload()
    await page.getByRole('heading', { name: /^\d+ datasets?$/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Resume: cancelled.csv' }).count(), 0)
  })
})

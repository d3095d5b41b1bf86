// Tests of documents: markup in names, headers, cells and URLs. A real browser opens every GET response as a page, and
// nothing in it runs, opens dialogs or loads. Skips without Chromium.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromium, type Page } from 'playwright-core'
import { type Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { hostileTexts } from '../support/hostile-texts.ts'
import { launching, noBrowser } from '../support/page-browser.ts'
import { ownService } from '../support/shared-service.ts'

/** With what a browser may take for the beginning of a document. */
const payloads = [
  ...hostileTexts,
  '<!doctype html><script>ran()</script>',
  '<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>ran()</h:script></x>',
  '</title><script>ran()</script>',
  '--><script>ran()</script>',
  '+ADw-script+AD4-ran()+ADw-/script+AD4-',
]

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`

/** Opens an address like a user who clicks on it; null if it was saved instead of shown. */
async function contentTypeOf(page: Page, url: string): Promise<string | null> {
  await page.goto('about:blank')
  const isShown = await page.goto(url).then(
    () => true,
    (error: Error) => {
      if (!/Download is starting|ERR_ABORTED/.test(error.message)) throw error
      return false
    },
  )
  return isShown ? String(await page.evaluate('document.contentType')) : null
}

test('a browser that opens GET responses never runs markup in names, headers, cells and URLs', {
  skip: noBrowser,
}, async (t) => {
  const { service, client } = await ownService()
  const browser = await chromium.launch(launching)
  t.after(() => browser.close())
  const context = await browser.newContext({ acceptDownloads: false })
  const effects: string[] = []
  await context.exposeFunction('ran', () => effects.push('a script ran'))
  const page = await context.newPage()
  page.on('dialog', (dialog) => {
    effects.push('a dialog opened')
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (request.url().endsWith('/ran')) effects.push('something was loaded')
  })

  // As a control, most payloads run if taken for a page: otherwise the checks below would prove nothing.
  let effective = 0
  for (const payload of payloads) {
    const body = `<!doctype html><title>x</title>${payload}`
    await page.route('http://control.example/', (route) => route.fulfill({ contentType: 'text/html', body }))
    effects.length = 0
    await page.goto('http://control.example/')
    if (effects.length > 0) effective += 1
    await page.unrouteAll()
  }
  assert.ok(effective >= 20, `only ${effective} of the payloads have any effect in the control`)

  const documents = await documentsOf(client)
  effects.length = 0
  for (const path of documents) {
    const contentType = await contentTypeOf(page, new URL(path, service.url).href)
    const shown = path.slice(0, 200)
    // The page of operations is HTML, but shows nothing that was sent.
    if (path !== '/docs')
      assert.ok(contentType === null || /^(application\/json|text\/(plain|event-stream))$/.test(contentType), shown)
    assert.deepEqual(effects, [], shown)
  }
  t.diagnostic(`${payloads.length} payloads, ${effective} of them effective; ${documents.length} documents opened`)
})

/** Stores the payloads wherever a client can put text. Returns the URLs that may show them, errors included. */
async function documentsOf(client: Client): Promise<readonly string[]> {
  const ends = payloads.map((payload) => encodeURIComponent(payload))
  const names: string[] = []
  const saved: string[] = []
  for (const payload of payloads) {
    // Each is also the beginning of the file with that name.
    const content = `${payload.replaceAll(/[,"]/g, ' ')},b\n1,2\n`
    const answer = await client.send({ content, fileName: payload.replaceAll('"', '\\"') })
    if (answer.status !== 200) continue
    const { file, links } = jsonOf<UploadResponse>(answer)
    names.push(file.name)
    saved.push(links.original)
  }
  assert.ok(names.length > 25, `${names.length} of the files were accepted`)
  const all = payloads.map(cell).join(',')
  const short = payloads.slice(1).map(cell).join(',')
  const { id, links } = await client.upload(`${all}\n${all}\n${all}\n${short}\n`)
  const { paths } = JSON.parse((await client.get('/openapi.json')).toString()) as { paths: Record<string, object> }
  const routes = Object.entries(paths).filter(([, operations]) => 'get' in operations)
  // One response that would never end is ended at once.
  const filled = ([path]: readonly [string, object]) => (path === '/qas/events' ? `${path}?seconds=0` : path)
  const opened = routes.map((route) =>
    filled(route)
      .replace('{id}', id)
      .replaceAll(/\{\w+\}/g, '0'),
  )
  assert.ok(opened.length >= 15 && opened.includes(`/qas/datasets/${id}/rows`), opened.join(' '))
  return [
    ...opened,
    ...saved,
    ...ends.map((end, i) => {
      const places = [`/${end}`, `/qas/datasets/${end}`, `/qas/datasets?after=${end}`, `${links.rows}?columns=${end}`]
      return places[i % places.length] ?? ''
    }),
    '/docs',
  ]
}

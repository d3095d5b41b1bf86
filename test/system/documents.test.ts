// Tests of documents: markup in names, headers, cells and URLs. A real browser opens every GET response as a page, and
// nothing in it runs, opens dialogs or loads. Skips without Chromium.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { Browser } from '../hostile/browser.ts'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { chromium } from './hostile-pages.ts'

/** Ways to run a script, or at least to load something from `canary`, if text is taken for markup. */
function payloadsFor(canary: string): readonly string[] {
  const js = (name: string) => `ran=1;alert(1);fetch('${canary}/${name}')`
  return [
    `<script>${js('script')}</script>`,
    `"><script>${js('quote')}</script>`,
    `'><script>${js('apostrophe')}</script>`,
    `</script><script>${js('end')}</script>`,
    `</title><script>${js('title')}</script>`,
    `</textarea><script>${js('textarea')}</script>`,
    `</style><script>${js('style')}</script>`,
    `--><script>${js('comment')}</script>`,
    `]]><script>${js('cdata')}</script>`,
    `<script src=${canary}/src></script>`,
    `<script type=module>${js('module')}</script>`,
    `<img src=x onerror="${js('image')}">`,
    `<img src=${canary}/picture>`,
    `<image src=x onerror="${js('oldimage')}">`,
    `<svg onload="${js('svg')}">`,
    `<svg><script>${js('svgscript')}</script></svg>`,
    `<svg><animate onbegin="${js('animate')}" attributeName=x dur=1s>`,
    `<body onload="${js('body')}">`,
    `<iframe src="javascript:${js('frame')}"></iframe>`,
    `<iframe srcdoc="&lt;script&gt;parent.${js('srcdoc')}&lt;/script&gt;"></iframe>`,
    `<iframe src=${canary}/iframe></iframe>`,
    `<object data="${canary}/object"></object>`,
    `<embed src="${canary}/embed">`,
    `<link rel=stylesheet href=${canary}/css>`,
    `<style>@import url(${canary}/import);</style>`,
    `<div style="background:url(${canary}/background)">x</div>`,
    `<meta http-equiv=refresh content="0;url=${canary}/refresh">`,
    `<base href=${canary}/><img src=base>`,
    `<video src=x onerror="${js('video')}"></video>`,
    `<audio src=x onerror="${js('audio')}"></audio>`,
    `<input autofocus onfocus="${js('focus')}">`,
    `<details open ontoggle="${js('toggle')}">x</details>`,
    `<math><mtext><mglyph><style><img src=x onerror="${js('math')}">`,
    `<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${js('xml')}</h:script></x>`,
    `<!doctype html><script>${js('doctype')}</script>`,
    `\u2028<script>${js('separator')}</script>`,
    `javascript:${js('address')}`,
    `{{constructor.constructor("${js('template')}")()}}`,
    `\${${js('literal')}}`,
    `+ADw-script+AD4-${js('utf7')}+ADw-/script+AD4-`,
  ]
}

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`

test('a browser that opens GET responses never runs markup in names, headers, cells and URLs', async (t) => {
  if (chromium === undefined) return t.skip('Chromium is not installed')
  await using scratch = await scratchDir()
  await using service = await RunningService.start(join(scratch.path, 'data'))
  const client = new Client(service.url)
  const visits: string[] = []
  let page = ''
  const canary = createServer((request, response) => {
    const isPage = request.url === '/page'
    if (!isPage && request.url !== '/favicon.ico') visits.push(`${request.url}`)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'access-control-allow-origin': '*' })
    response.end(isPage ? page : '')
  })
  await once(canary.listen(0, '127.0.0.1'), 'listening')
  t.after(() => canary.close())
  const address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
  const payloads = payloadsFor(address)
  assert.ok(payloads.length >= 30)

  await using browser = await Browser.start(chromium)
  // As a control, most payloads run if taken for a page: otherwise the checks below would prove nothing.
  let effective = 0
  for (const payload of payloads) {
    page = `<!doctype html><title>x</title>${payload}`
    const before = visits.length
    const { hasRun } = await browser.visit(`${address}/page`)
    if (hasRun || visits.length > before) effective += 1
  }
  assert.ok(effective >= 20, `only ${effective} of the payloads have any effect in the control`)
  assert.ok(browser.dialogs > 0)

  const documents = await documentsOf(client, payloads)
  const dialogs = browser.dialogs
  visits.length = 0
  for (const path of documents) {
    const { hasRun, contentType } = await browser.visit(new URL(path, service.url).href)
    const shown = path.slice(0, 200)
    assert.ok(!hasRun, `something ran in ${shown}`)
    // The page of operations is HTML, but shows nothing that was sent.
    if (path !== '/docs')
      assert.ok(contentType === null || /^(application\/json|text\/(plain|event-stream))$/.test(contentType), shown)
    assert.equal(browser.dialogs, dialogs, `${shown} opened a dialog`)
    assert.deepEqual(visits, [], `${shown} loaded something`)
  }
  t.diagnostic(`${payloads.length} payloads, ${effective} of them effective; ${documents.length} documents opened`)
})

/** Stores the payloads wherever a client can put text. Returns the URLs that may show them, errors included. */
async function documentsOf(client: Client, payloads: readonly string[]): Promise<readonly string[]> {
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

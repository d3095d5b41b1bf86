// Hostile pages: pages of another origin in a real browser, each of which attacks a service. Needs Chromium.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { Client } from '../support/client.ts'
import { launching } from '../support/page-browser.ts'
import { RunningService } from '../support/running-service.ts'

const csv =
  '--x\\r\\nContent-Disposition: form-data; name="file"; filename="a.csv"\\r\\n\\r\\na,b\\r\\n1,2\\r\\n--x--\\r\\n'

/** Scripts that try something with the service at `base`, and write what they could read into the page. */
const attacks: Readonly<Record<string, string>> = {
  'a fetch without preflight': `
    const form = new FormData(); form.append('file', new File(['a,b\\n1,2\\n'], 'a.csv'))
    await fetch(base + '/qas/uploadCsv', { method: 'POST', mode: 'no-cors', body: form })`,
  'a beacon': `navigator.sendBeacon(base + '/qas/uploadCsv', new Blob(['${csv}'], { type: 'multipart/form-data; boundary=x' }))`,
  'a deletion': `await fetch(base + '/qas/datasets/' + id, { method: 'DELETE' })`,
  'a deletion without preflight': `await fetch(base + '/qas/datasets/' + id, { method: 'POST', mode: 'no-cors', body: '_method=DELETE' })`,
  'a reading without preflight': `
    const body = new Blob(['{"dialect":{"delimiter":";"}}'], { type: 'text/plain' })
    await fetch(base + '/qas/datasets/' + id + '/readings', { method: 'POST', mode: 'no-cors', body })`,
  'a read of the list': `out(await (await fetch(base + '/qas/datasets')).text())`,
  'a read of the rows': `out(await (await fetch(base + '/qas/datasets/' + id + '/rows')).text())`,
  'a frame': `
    const frame = document.createElement('iframe'); frame.src = base + '/qas/datasets'
    document.body.append(frame)
    await new Promise((resolve) => { frame.onload = resolve; frame.onerror = resolve })
    out(frame.contentDocument?.body?.innerText ?? '')`,
  'the list as a script': `
    const script = document.createElement('script'); script.src = base + '/qas/datasets/' + id + '/original'
    document.body.append(script)
    await new Promise((resolve) => { script.onload = resolve; script.onerror = resolve })`,
}

const form = (base: string) => `<form method=post enctype=multipart/form-data action="${base}/qas/uploadCsv">
  <textarea name='file"; filename="a.csv'>a,b\n1,2</textarea></form><script>document.forms[0].submit()</script>`

function pageOf(script: string, base: string, id: string): string {
  return `<!doctype html><body><pre id=out>nothing</pre><script type=module>
    const base = ${JSON.stringify(base)}, id = ${JSON.stringify(id)}
    const out = (text) => { if (text) document.getElementById('out').textContent = text }
    try { ${script} } catch {}
    document.title = 'ended'
  </script>`
}

/** Visits each page from another port and from another site; returns their number. Throws if one had an effect. */
export async function visitHostilePages(): Promise<number> {
  await using closed = new AsyncDisposableStack()
  await using service = await RunningService.fresh()
  const client = new Client(service.url)
  const { id } = await client.upload('name,secret\nAnna,4711\n')
  // Another name points here, as with DNS rebinding.
  const args = [...launching.args, '--host-resolver-rules=MAP rebound.example 127.0.0.1']
  const browser = await chromium.launch({ ...launching, args })
  closed.defer(() => browser.close())
  /** The page when all that it started has ended; it may have gone elsewhere. */
  const visit = async (url: string, hasEnded: string) => {
    const context = await browser.newContext()
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.waitForFunction(hasEnded)
    await tab.waitForLoadState('networkidle')
    const dom = await tab.content()
    await context.close()
    return dom
  }
  let page = ''
  let visits = 0
  let pages = 0
  const stranger = createServer((_request, response) => {
    visits += 1
    response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  })
  stranger.listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  closed.defer(async () => void stranger.close())
  const { port } = stranger.address() as AddressInfo
  const holds = async (what: string, dom: string) => {
    pages += 1
    assert.ok(visits > 0, 'the browser never loaded the page')
    assert.ok(!dom.includes('4711'), `${what} read: ${dom}`)
    assert.deepEqual(await client.datasetIds(), [id], what)
  }
  // Another port is another origin of the same site; another name is another site.
  for (const name of ['127.0.0.1', 'localhost']) {
    for (const [what, script] of Object.entries(attacks)) {
      page = pageOf(script, service.url, id)
      const dom = await visit(`http://${name}:${port}/`, `document.title === 'ended'`)
      assert.match(dom, /<pre id="out">nothing</, `${what} read something`)
      await holds(`${what} from ${name}`, dom)
    }
    page = form(service.url)
    await holds(`a form from ${name}`, await visit(`http://${name}:${port}/`, `location.pathname === '/qas/uploadCsv'`))
  }
  // The page would have the same origin as the service.
  const dom = await visit(`http://rebound.example:${service.port}/qas/datasets`, 'true')
  assert.match(dom, /HostNotAllowedException/)
  await holds('a rebound name', dom)
  return pages
}

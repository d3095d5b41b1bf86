// Page site: a separate service and a browser, for the tests of one file that use the page.
import { join } from 'node:path'
import { after, before } from 'node:test'
import { Client } from './client.ts'
import { PageBrowser } from './page-browser.ts'
import { RunningService, scratchDir } from './running-service.ts'

export interface PageSite {
  readonly service: RunningService
  readonly client: Client
  readonly browser: PageBrowser
}

/** For use in a `describe`: empty until its tests begin, and closed after the last of them. */
export function pageSite(flags: readonly string[] = []): PageSite {
  const closing = new AsyncDisposableStack()
  const site = {} as PageSite
  before(async () => {
    const scratch = closing.use(await scratchDir())
    const service = closing.use(await RunningService.start(join(scratch.path, 'data'), flags))
    const browser = closing.use(await PageBrowser.launch())
    Object.assign(site, { service, client: new Client(service.url), browser })
  })
  after(() => closing.disposeAsync())
  return site
}

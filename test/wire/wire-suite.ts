// Wire suite: what any service behind the HTTP side must do on the wire. Knows no implementation.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { HttpOptions } from '../../src/http/server.ts'
import { connectionTests, slowTests } from './connection-tests.ts'
import { headTests } from './head-tests.ts'
import { lingeringTests } from './lingering-tests.ts'
import { outcomeFaults } from './outcome-faults.ts'
import { replay } from './replay.ts'
import { loadWireCases, type WireCase } from './wire-case.ts'

/** How to start a server for a test; by default, as in production. */
export interface StartOptions {
  readonly limits?: { readonly fileBytesMax: number; readonly requestBytesMax: number }
  readonly http?: Partial<HttpOptions>
}

export interface StartedServer {
  readonly port: number
  close(): Promise<void>
}

/** Starts a server on a free port with its own data. */
export type StartServer = (options: StartOptions) => Promise<StartedServer>

/** Replays mostly wait, so this many run at once. */
const replaysAtOnce = 16

/** Declares the suite. `name` says which service is behind it. */
export function wireSuite(name: string, start: StartServer): void {
  const cases = loadWireCases()
  describe(`wire cases over ${name}`, () => {
    replayTests(
      'with the standard limits',
      start,
      {},
      cases.filter(({ needs }) => needs === null),
    )
    const limits = { fileBytesMax: 1_000, requestBytesMax: 3_000 }
    replayTests(
      'with small limits',
      start,
      { limits },
      cases.filter(({ needs }) => needs !== null),
    )
  })
  describe(`connections over ${name}`, () => {
    let server: StartedServer
    /** Its times are short enough to wait for; on a busy machine, too short for anything else. */
    let hasty: StartedServer
    before(async () => {
      server = await start({})
      hasty = await start({ http: { bodyIdleMs: 500, headersMs: 500 } })
    })
    after(() => Promise.all([server.close(), hasty.close()]))
    headTests(() => server.port)
    connectionTests(() => server.port)
    slowTests(() => hasty.port)
    lingeringTests(() => server.port)
  })
}

function replayTests(name: string, start: StartServer, options: StartOptions, cases: readonly WireCase[]): void {
  describe(name, { concurrency: replaysAtOnce }, () => {
    let server: StartedServer
    before(async () => {
      server = await start(options)
    })
    after(() => server.close())
    for (const wireCase of cases) {
      it(`${wireCase.id}: ${wireCase.what}`, async () => {
        const faults = outcomeFaults(wireCase, await replay(wireCase, server.port))
        assert.deepEqual(faults, [])
      })
    }
  })
}

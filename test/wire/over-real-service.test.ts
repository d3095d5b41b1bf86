// The wire suite over the whole service, as `serve` starts it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { wireSuite } from './wire-suite.ts'

wireSuite('the whole service', async ({ limits, http = {} }) => {
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-wire-'))
  const options = {
    port: 0,
    data: dir,
    'log-level': 'silent',
    'shutdown-grace': '1s',
    'max-file-size': limits?.fileBytesMax,
    'max-request-size': limits?.requestBytesMax,
    'body-idle-time': http.bodyIdleMs === undefined ? undefined : `${http.bodyIdleMs}ms`,
    'headers-time': http.headersMs === undefined ? undefined : `${http.headersMs}ms`,
  }
  const flags = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, `${value}`],
  )
  const app = await startApp(readConfig(flags))
  const close = async () => {
    await app.close()
    await rm(dir, { recursive: true, force: true })
  }
  return { port: Number(new URL(app.url).port), close }
})

// The wire suite over a fake service: the HTTP side and the multipart parser, without reading CSV.
import { pino } from 'pino'
import { createHttpServer, defaultHttpOptions } from '../../src/http/server.ts'
import { createFakeService } from './fake-service.ts'
import { wireSuite } from './wire-suite.ts'

wireSuite('a fake service', async ({ limits = {}, http = {} }) =>
  createHttpServer(
    createFakeService(limits),
    { ...defaultHttpOptions, port: 0, shutdownGraceMs: 100, ...http },
    pino({ level: 'silent' }),
  ),
)

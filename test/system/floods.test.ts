// Tests of floods: a small version of those of `npm run torture`. Checks only counts, never times.
import { test } from 'node:test'
import { canLimit, endlessChunks, floodAborts, floodConnections, freezePeers } from '../../torture/floods.ts'
import { seesProcesses } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'

test('after more connections than descriptors, the service responds again', async (t) => {
  if (!seesProcesses || !canLimit) return t.skip('this system does not show or limit processes')
  await floodConnections('short')
})

test(`hundreds of clients that abort leave nothing behind (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await floodAborts('short', seed)
})

test('frozen peers are disconnected, and their places are free again', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await freezePeers('short')
})

test('an endless chunked body is refused at the limit and leaves nothing behind', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await endlessChunks()
})

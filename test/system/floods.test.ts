// Floods, in small: what `npm run torture` does by the thousand. Counts alone are held, never times.
import { test } from 'node:test'
import { canLimit, endlessChunks, floodAborts, floodConnections, freezePeers } from '../../torture/floods.ts'
import { seesProcesses } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'

test('more connections than descriptors leave a service that answers again', async (t) => {
  if (!seesProcesses || !canLimit) return t.skip('this system does not show or limit processes')
  await floodConnections('short')
})

test(`clients that abort by the hundred leave nothing behind (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await floodAborts('short', seed)
})

test('peers that are frozen are let go, and their places are free again', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await freezePeers('short')
})

test('a body of chunks without end is refused at the limit and leaves nothing behind', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await endlessChunks()
})

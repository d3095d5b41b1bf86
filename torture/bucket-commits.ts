// Bucket commits: replicas publish the same dataset at the same time, again and again. One wins; only its files stay.
import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { S3Objects } from '../src/store/s3/s3-objects.ts'
import { createS3Store } from '../src/store/s3/s3-store.ts'
import { assertWhole } from '../src/store/store-assertions.testing.ts'
import { publishSample, sample } from '../src/store/store-samples.testing.ts'
import { scratchDir } from '../test/support/running-service.ts'
import { S3Proxy } from '../test/support/s3-proxy.ts'
import { noS3Server, startS3Server } from '../test/support/s3-server.ts'
import { createRandom } from '../test/support/samples.ts'

const writers = 8
/** Writers whose connection to the bucket loses responses. */
const unlucky = 2
/** The most responses lost per commit: fewer than the tries of a commit. */
const lostMax = 3
const lateMsMax = 4
/** The type of a file system in memory. With `TMPDIR=/dev/shm`, a round takes a tenth of the time on a slow disk. */
const tmpfs = 0x01021994

/** Ends after a number of rounds, or after `MINUTES` in the environment; there is no time limit by default. */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  if (noS3Server !== undefined) throw new Error(noS3Server)
  const roundsMax = scale === 'long' ? 10_000 : 50
  const endMs = performance.now() + Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY) * 60_000
  const random = createRandom(seed)
  await using scratch = await scratchDir()
  await using server = await startS3Server()
  await using proxy = await S3Proxy.to(server.endpoint)
  const lost = new Map<string, number>()
  proxy.fate = (call, key) => {
    const count = lost.get(key) ?? 0
    if (call !== 'PutObject' || !key.endsWith('/receipt.json') || count === lostMax || random(10) > 0) return 'carried'
    lost.set(key, count + 1)
    return 'lost'
  }
  const options = { bucket: server.bucket, prefix: `${randomUUID()}/`, pathStyle: true, region: null }
  const stores = await Promise.all(
    Array.from({ length: writers }, (_, i) => {
      const endpoint = i < unlucky ? proxy.endpoint : server.endpoint
      return createS3Store({
        ...options,
        endpoint,
        dir: join(scratch.path, `${i}`),
        cacheBytesMax: 1_000_000,
      })
    }),
  )
  const winners = Array.from({ length: writers }, () => 0)
  let rounds = 0
  for (; rounds < roundsMax && performance.now() < endMs; rounds += 1) {
    const wanted = sample({ seed: `${seed}-${rounds}` })
    const waits = stores.map(() => random(lateMsMax + 1))
    const made = await Promise.all(
      stores.map(async (store, i) => {
        await sleep(waits[i])
        return await publishSample(store, wanted, i)
      }),
    )
    if (made.filter(Boolean).length !== 1) throw new Error(`round ${rounds}: ${made.filter(Boolean).length} winners`)
    const winner = made.indexOf(true)
    winners[winner] = (winners[winner] ?? 0) + 1
    await assertWhole(stores[random(writers)]!, wanted)
    proxy.carried.length = 0
    if (rounds % 500 === 499) process.stderr.write(`${rounds + 1} rounds\n`)
  }
  const left = await leftIn(new S3Objects({ ...options, endpoint: server.endpoint }))
  for (const store of stores) await store.close()
  const filesOfOne = sample({ seed }).files.size
  if (left.pending > 0) throw new Error(`${left.pending} attempts are still listed`)
  if (left.files !== rounds * filesOfOne) throw new Error(`${left.files} files, expected ${rounds * filesOfOne}`)
  return {
    'rounds of eight writers': rounds,
    'datasets without exactly one winner': 0,
    'rounds won by each writer': winners.join(', '),
    'lost responses to commits': [...lost.values()].reduce((sum, count) => sum + count, 0),
    'files of losers left': 0,
    'objects stored on': (await statfs(tmpdir())).type === tmpfs ? 'a file system in memory' : 'a disk',
  }
}

async function leftIn(objects: S3Objects): Promise<{ readonly files: number; readonly pending: number }> {
  const left = { files: 0, pending: 0 }
  for await (const key of objects.list('')) {
    if (key.startsWith('files/')) left.files += 1
    if (key.startsWith('pending/')) left.pending += 1
  }
  objects.close()
  return left
}

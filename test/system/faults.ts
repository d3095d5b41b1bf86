// Faults: disks that are too small, the same file many times at once, kills under load. Each throws if something
// acknowledged is lost, or something else is left.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, rm, statfs, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { isAlive, RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { body, flags, isWhole } from './service-kills.ts'

const mebibyte = 1_048_576

/**
 * Mounts a small disk, unmounted when disposed; null if that is not possible: needs root on Linux, and loop devices for
 * ext4. There even an empty directory takes space, unlike with tmpfs.
 */
export async function mountDisk(bytes: number, type: 'tmpfs' | 'ext4' = 'tmpfs') {
  const dir = await scratchDir()
  const [image, path] = [join(dir.path, 'image'), join(dir.path, 'disk')]
  const run = (command: string, ...args: readonly string[]) => execFileSync(command, args, { stdio: 'ignore' })
  try {
    await mkdir(path)
    if (type === 'ext4') {
      await writeFile(image, '')
      await truncate(image, bytes)
      run('mkfs.ext4', '-q', '-m', '0', image)
      run('mount', '-o', 'loop', image, path)
    } else run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path)
  } catch {
    await dir[Symbol.asyncDispose]()
    return null
  }
  return {
    path,
    /** Writes to the disk, of ext4, wait until it is thawed or disposed. */
    freeze() {
      run('fsfreeze', '--freeze', path)
      const thawing = new DisposableStack()
      thawing.defer(() => void run('fsfreeze', '--unfreeze', path))
      return { thaw: () => thawing.dispose(), [Symbol.dispose]: () => thawing.dispose() }
    },
    async [Symbol.asyncDispose]() {
      // Children that are just ending keep it busy a moment longer.
      run('umount', '--lazy', path)
      await dir[Symbol.asyncDispose]()
    },
  }
}

/** Uploads `body` to disks with these free bytes; returns the counts of outcomes, null if no disk can be mounted. */
export async function fillDisks(leftBytes: readonly number[]): Promise<{ kept: number; refused: number } | null> {
  await using disk = await mountDisk(128 * mebibyte)
  if (disk === null) return null
  const came = { kept: 0, refused: 0 }
  const filler = join(disk.path, 'filler')
  for (const left of leftBytes) {
    // The service starts while there is room, so it admits the upload. Then the disk is filled except for these bytes.
    await using service = await RunningService.start(disk.path, flags)
    const client = new Client(service.url)
    const { bavail, bsize } = await statfs(disk.path)
    // A child that is just starting may use a little of it first: then no byte is left.
    await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - left))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error
    })
    const answer = await client.ask('POST', '/qas/uploadCsv', body)
    const ids = await client.datasetIds()
    if (answer.status === 200) {
      came.kept += 1
      assert.deepEqual(ids, [jsonOf<UploadResponse>(answer).id])
    } else {
      came.refused += 1
      assert.ok([500, 507].includes(refusalOf(answer).status), `${answer.status} with ${left} bytes left`)
      assert.deepEqual(ids, [], `a refused upload left a visible dataset, with ${left} bytes left`)
    }
    await until('nothing unfinished is left', () => service.incoming().length === 0)
    assert.deepEqual(service.datasetDirs(), ids, `with ${left} bytes left`)
    await rm(filler)
    for (const id of ids) {
      await isWhole(client, id)
      assert.equal((await client.ask('DELETE', `/qas/datasets/${id}`)).status, 204)
    }
  }
  return came
}

/** Uploads the same bytes concurrently, `rounds` times; in some rounds, the service is killed meanwhile. */
export async function sendAtOnce(
  dataDir: string,
  { seed, rounds, kills }: { readonly seed: number; readonly rounds: number; readonly kills: boolean },
): Promise<{ uploads: number; answered: number; kills: number }> {
  const random = createRandom(seed)
  const did = { uploads: 0, answered: 0, kills: 0 }
  for (let round = 0; round < rounds; round++) {
    await using service = await RunningService.start(dataDir, flags)
    const client = new Client(service.url)
    const content = csvText('id,round', 2_000, (i) => `${i},${seed} ${round}`)
    const copies = 2 + random(15)
    const isKilling = kills && random(2) === 0
    const sending = Array.from({ length: copies }, () => client.send({ content }).catch(() => null))
    if (isKilling) {
      await sleep(random(200))
      service.kill('SIGKILL')
      did.kills += 1
    }
    const answers = (await Promise.all(sending)).filter((answer) => answer !== null)
    for (const answer of answers) assert.equal(answer.status, 200, answer.body.toString())
    assert.ok(isKilling || answers.length === copies)
    const receipts = answers.map((answer) => jsonOf<UploadResponse>(answer))
    assert.ok(receipts.filter(({ duplicate }) => !duplicate).length <= 1)
    const children = service.children()
    await service[Symbol.asyncDispose]()
    await until('the children of the dead service have ended', () => !children.some(isAlive))
    await using again = await RunningService.start(dataDir, flags)
    const there = new Client(again.url)
    const [first] = receipts
    if (first !== undefined) await isWhole(there, first.id)
    assert.deepEqual(again.drafts(), [])
    const { duplicate, links } = await there.upload({ content })
    assert.ok(duplicate || first === undefined)
    assert.equal((await there.ask('DELETE', links.self)).status, 204)
    did.uploads += copies
    did.answered += answers.length
  }
  return did
}

/** Measures the 99th percentile of `/healthz` while files are converted, in milliseconds. */
export async function healthWhileConverting(
  dataDir: string,
  uploads: number,
): Promise<{ p99Ms: number; asked: number }> {
  await using service = await RunningService.start(dataDir)
  const client = new Client(service.url)
  let isOver = false
  const sending = (async () => {
    for (let i = 0; i < uploads; i++) {
      const content = csvText('id,name,amount', 400_000, (row) => `${row},name ${row} and ${i},${row}.50`)
      await client.send({ content })
    }
  })().finally(() => {
    isOver = true
  })
  const tookMs: number[] = []
  while (!isOver) {
    const startMs = performance.now()
    assert.equal((await client.ask('GET', '/healthz')).status, 200)
    tookMs.push(performance.now() - startMs)
    await sleep(10)
  }
  await sending
  tookMs.sort((a, b) => a - b)
  return { p99Ms: tookMs[Math.floor(tookMs.length * 0.99)] ?? 0, asked: tookMs.length }
}

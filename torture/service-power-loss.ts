// Service power loss: runs the whole service under strace, then opens the store on states that power loss may leave.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { createFsStore } from '../src/store/fs/fs-store.ts'
import { readAll } from '../src/store/store-samples.testing.ts'
import { Client } from '../test/support/client.ts'
import { scratchDir } from '../test/support/running-service.ts'
import { csvText } from '../test/support/samples.ts'
import { isTraceable } from '../test/system/crash/crash.ts'
import { type DiskStep, readDiskLog, underTrace } from '../test/system/crash/disk-log.ts'
import { LossyDisk } from '../test/system/crash/power-loss.ts'
import { bootStates } from '../test/system/crash/power-states.ts'
import type { Run } from './modules.ts'

const program = join(import.meta.dirname, '..', 'src', 'bin', 'csv-upload.ts')

/** States tried, on a disk that ignores syncs, until one breaks a promise. */
const controlStates = 500

export const run: Run = async (scale, seed) => {
  if (!isTraceable) throw new Error('Cannot record disk writes: strace is missing or may not trace')
  const { steps, ids } = await recordService()
  const check = (dir: string, said: readonly string[]) => holds(dir, answered(said, ids))
  const count = Number(process.env.STATES ?? (scale === 'long' ? 2_000 : 100))
  const { booted, broken } = await bootStates(steps, new LossyDisk(steps), { seed, count }, check)
  if (broken !== null) throw new Error(`A promise was broken ${broken}`)
  const control = await bootStates(steps, new LossyDisk(steps, 'none'), { seed, count: controlStates }, check)
  if (control.broken === null) throw new Error('Nothing was found without syncs: the check detects nothing')
  return {
    'steps recorded': steps.length,
    'states checked': booted,
    'promises broken': 0,
    'control without syncs: fault found at state': String(control.booted),
  }
}

/** Records two uploads with rejects, the first compressed, the second deleted afterwards. Returns their ids. */
async function recordService(): Promise<{ readonly steps: readonly DiskStep[]; readonly ids: readonly string[] }> {
  await using scratch = await scratchDir()
  const [dataDir, trace] = [join(scratch.path, 'data'), join(scratch.path, 'trace')]
  const flags = ['serve', '--port', '0', '--data', dataDir, '--segment-size', '64KB', '--converters', '1']
  const [command, ...args] = [...underTrace(trace), process.execPath, program, ...flags]
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  const ended = once(child, 'close')
  const ids: string[] = []
  try {
    const client = new Client(await listening(child.stderr))
    for (const name of ['one', 'two']) {
      const content = csvText('id,name', 12_000, (i) => (i % 500 === 3 ? `${i}` : `${i},${name} ${i} and some more`))
      ids.push((await client.upload(name === 'one' ? gzipSync(content) : content)).id)
    }
    assert.equal((await client.ask('DELETE', `/qas/datasets/${ids[1]}`)).status, 204)
  } finally {
    // A signal to strace would detach it, so the service itself is told to end.
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    process.kill(Number(children.trim().split(' ')[0]), 'SIGTERM')
    await ended
  }
  return { steps: readDiskLog(await readFile(trace, 'latin1'), dataDir), ids }
}

async function listening(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) {
      stderr.resume()
      return url
    }
  }
  throw new Error('Cannot start the service under strace')
}

interface Answered {
  readonly kept: readonly string[]
  readonly removed: readonly string[]
  readonly known: readonly string[]
}

/** The requests that the log shows as completed: uploads, then the deletion of the second. */
function answered(said: readonly string[], ids: readonly string[]): Answered {
  const requests = said.filter((line) => line.includes('"msg":"request"'))
  const isDeleting = requests.length >= 2
  return {
    kept: ids.slice(0, isDeleting ? 1 : Math.min(requests.length, 2)),
    removed: requests.length >= 3 ? ids.slice(1) : [],
    known: ids,
  }
}

/** Checks the store as the next process finds it: acknowledged and visible datasets are complete; nothing else is left. */
async function holds(dir: string, { kept, removed, known }: Answered): Promise<void> {
  const store = await createFsStore({ dir })
  try {
    assert.deepEqual(await readdir(join(dir, 'incoming')), [])
    const found = await readdir(join(dir, 'datasets'))
    for (const id of kept) assert.ok(found.includes(id), `${id} was acknowledged but is lost`)
    for (const id of removed) assert.ok(!found.includes(id), `${id} was deleted but is back`)
    for (const id of found) {
      assert.ok(known.includes(id), `${id} was never uploaded`)
      const receipt = (await store.receipt(id)) ?? assert.fail(`${id} has no receipt`)
      assert.ok(receipt.parts.length > 0 && receipt.rejects.parts.length > 0)
      for (const { file, sha256 } of [
        { ...receipt.file, file: 'original' },
        ...receipt.parts,
        ...receipt.rejects.parts,
      ]) {
        const bytes = await readAll(await store.read({ id }, file))
        assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, `${id} ${file}`)
      }
    }
  } finally {
    await store.close()
  }
}

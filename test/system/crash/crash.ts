// Crash: runs the crash writer until it is killed, and compares the store with what the writer was promised.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFsStore } from '../../../src/store/fs/fs-store.ts'
import { assertAbsent, assertWhole } from '../../../src/store/store-assertions.testing.ts'
import { sampleUpload } from '../../../src/store/store-samples.testing.ts'
import { crashSample } from './crash-sample.ts'

/** The last state reported for each dataset, by number. */
export type Promises = Map<number, 'begun' | 'kept' | 'removing' | 'removed'>

export interface WriterRun {
  readonly dir: string
  readonly first: number
  readonly count: number
  readonly atOnce: number
  /** A program with arguments that runs the writer, such as strace. */
  readonly under?: readonly string[]
  /** Whether the store may fail to open; the writer then has no promises. */
  readonly mayFailAtStart?: boolean
  /** Called with null when the child starts, and with each line of its output. */
  readonly onLine?: (line: string | null, kill: () => void) => void
}

/** Resolves when the writer has ended: its promises, and whether it completed. */
export async function runWriter(
  run: WriterRun,
): Promise<{ promises: Promises; isWhole: boolean; said: readonly string[] }> {
  const args = [run.dir, ...[run.first, run.count, run.atOnce].map(String)]
  const { said, isWhole } = await runProgram('writer.ts', args, run)
  return { promises: promisesOf(said), isWhole, said }
}

/** Runs a program of this folder; resolves to its output, and whether it completed. */
export async function runProgram(
  name: string,
  args: readonly string[],
  { under = [], mayFailAtStart = false, onLine }: Pick<WriterRun, 'under' | 'mayFailAtStart' | 'onLine'>,
): Promise<{ said: readonly string[]; isWhole: boolean }> {
  const [command, ...rest] = [...under, process.execPath, join(import.meta.dirname, name), ...args]
  const child = spawn(command!, rest, {
    stdio: ['ignore', 'pipe', mayFailAtStart ? 'ignore' : 'inherit'],
    env: { ...process.env, UV_THREADPOOL_SIZE: under.length === 0 ? '4' : '1' },
  })
  const ended = once(child, 'close')
  const kill = () => void child.kill('SIGKILL')
  onLine?.(null, kill)
  const said: string[] = []
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop()!
    for (const line of lines) {
      said.push(line)
      onLine?.(line, kill)
    }
  }
  const [code, signal] = await ended
  const isRefusedAtStart = mayFailAtStart && said.length === 0
  assert.ok(code === 0 || isRefusedAtStart || signal === 'SIGKILL', `writer ended with code ${code}, signal ${signal}`)
  return { said, isWhole: code === 0 }
}

/** The promises in the output of a writer. */
export function promisesOf(lines: readonly string[]): Promises {
  const promises: Promises = new Map()
  for (const line of lines) {
    const [state, number] = line.split(' ')
    // Promises before a refusal still hold. The writer prints only these words.
    if (state !== 'ready' && state !== 'refused')
      promises.set(Number(number), state as 'begun' | 'kept' | 'removing' | 'removed')
  }
  return promises
}

/** Whether strace works here. */
export const isTraceable = spawnSync('strace', ['-f', '-o', '/dev/null', '-e', 'trace=fsync', 'true']).status === 0

/**
 * Opens the store after a crash, as the next process would: kept datasets exist byte for byte, removed ones do not,
 * unfinished ones are complete or absent, nothing else is visible, and nothing unfinished is left.
 *
 * @param others Numbers of datasets that may exist, too.
 */
export async function checkPromises(dir: string, promises: Promises, others: Iterable<number> = []): Promise<void> {
  const store = await createFsStore({ dir })
  try {
    assert.deepEqual(await readdir(join(dir, 'incoming')), [])
    assert.deepEqual(await readdir(join(dir, 'replacing')).catch(() => []), [])
    for (const [number, state] of promises) {
      const wanted = crashSample(number)
      const isThere = (await store.receipt(wanted.receipt.id)) !== null
      if (state === 'kept') assert.ok(isThere, `dataset ${number} was acknowledged but is lost`)
      if (state === 'removed') assert.ok(!isThere, `dataset ${number} was removed but is back`)
      await (isThere ? assertWhole : assertAbsent)(store, wanted)
      if (state === 'begun') continue
      if (!isThere) continue
      const upload = sampleUpload(wanted.receipt, number)
      const records = join(dir, 'datasets', upload.datasetId, 'uploads')
      // The name has a suffix if the dataset can also be found by the name of this upload.
      const name = (await readdir(records)).find((one) => one.startsWith(upload.id))
      const record = await readFile(join(records, name ?? upload.id), 'utf8')
      assert.deepEqual(JSON.parse(record), { version: 1, ...upload })
    }
    const known = new Set([...promises.keys(), ...others].map((number) => crashSample(number).receipt.id))
    const onDisk = await readdir(join(dir, 'datasets'))
    assert.deepEqual(
      onDisk.filter((id) => !known.has(id)),
      [],
    )
    for (const id of onDisk) assert.notEqual(await store.receipt(id), null, `${id} has no receipt`)
  } finally {
    await store.close()
  }
}

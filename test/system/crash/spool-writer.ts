// Spool writer: the child process of the crash tests of spools. Adds to uploads, and prints each acknowledged offset.
// Arguments: directory, number of uploads to begin.
import { writeSync } from 'node:fs'
import { createFsStore } from '../../../src/store/fs/fs-store.ts'
import type { Spool } from '../../../src/store/store.ts'
import { spoolSample } from './spool-sample.ts'

/** Writes to the pipe synchronously, so that no line is lost when the process dies. */
const say = (line: string) => void writeSync(1, `${line}\n`)

const [, , dir, count] = process.argv as [string, string, string, string]
const store = await createFsStore({ dir })
say('ready')

/** Makes the calls of a server: small and large writes, with and without commits in between. */
async function resume(spool: Spool, number: number): Promise<void> {
  const { content } = spoolSample(number)
  const writer = await spool.open()
  for (let round = 1; writer.bytes < content.length; round += 1) {
    await writer.write([
      content.subarray(writer.bytes, writer.bytes + 1 + ((number * 7919 + round * 104_729) % 90_000)),
    ])
    if (round % 2 === 0) await writer.flush()
    if (round % 3 !== 0) continue
    const { bytes } = await writer.commit()
    say(`at ${number} ${bytes}`)
    // A client that disconnects leaves the bytes after the last commit.
    if (round % 4 === 0) break
  }
  const isWhole = writer.bytes === content.length
  if (isWhole) say(`whole ${number} ${(await writer.commit({ isComplete: true })).bytes}`)
  await writer[Symbol.asyncDispose]()
  if (!isWhole) return await resume(spool, number)
  if (number % 3 !== 0) return
  say(`removing ${number}`)
  await spool.remove()
  say(`removed ${number}`)
}

async function begin(number: number): Promise<void> {
  const { facts, content } = spoolSample(number)
  say(`begun ${number}`)
  const spool = await store.spools.create(facts, number % 2 === 0 ? content.length : null)
  say(`at ${number} 0`)
  await resume(spool, number)
}

const numberOf = (spool: Spool) => (spool.facts.details as { number: number }).number
const left = store.spools.found.filter(({ state }) => !state.isComplete)
const first = Math.max(0, ...store.spools.found.map(numberOf)) + 1
await Promise.all([
  ...left.map((spool) => resume(spool, numberOf(spool))),
  ...Array.from({ length: Number(count) }, (_, i) => begin(first + i)),
])
await store.close()

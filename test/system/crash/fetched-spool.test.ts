// Tests of fetched spools: an upload that another process has begun is fetched whole, or not at all.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCommand } from '../../../src/sandbox/spawn-child.ts'
import { scratchDir } from '../../support/running-service.ts'

const program = join(import.meta.dirname, 'spool-fetcher.ts')
const prlimit = findCommand('prlimit')
const bytes = 100_000

test('fetch() fails if a chunk cannot be written whole', {
  skip: prlimit === undefined ? 'prlimit is not here' : false,
}, async () => {
  await using scratch = await scratchDir()
  const path = join(scratch.path, 'spool')
  for (const [limit, outcome] of [
    [bytes, 'fetched'],
    // As on a disk that is full in the middle of a write: the part before counts as written.
    [bytes / 2, 'DISK_FULL'],
  ] as const) {
    await writeFile(path, '')
    await truncate(path, bytes)
    const limited = [`--fsize=${limit}`, process.execPath, program, scratch.path, String(bytes)]
    const { stdout, stderr } = spawnSync(prlimit ?? '', limited, { env: { PATH: process.env.PATH }, encoding: 'utf8' })
    assert.equal(stdout, outcome, stderr)
    if (outcome === 'fetched') assert.deepEqual(await readFile(path), Buffer.alloc(bytes, 1))
  }
})

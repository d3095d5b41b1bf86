// Tests of the format number: over starts and stops, which directories are opened, and what refuses one says.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { Scratch } from '../s3/scratch.ts'
import { createFsStore } from './fs-store.ts'

const quiet = { info() {}, warn() {} }

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'format-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return dir
}

/** Both kinds of a data directory: the store itself, and the local part of a bucket. */
const opens: readonly (readonly [name: string, openAndClose: (dir: string) => Promise<void>])[] = [
  ['createFsStore()', async (dir) => (await createFsStore({ dir })).close()],
  [
    'Scratch.open()',
    async (dir) => (await Scratch.open({ dir, cacheBytesMax: 1_000, logger: quiet }))[Symbol.asyncDispose](),
  ],
]

for (const [name, openAndClose] of opens) {
  test(`${name} numbers a new directory, and opens it again`, async (t) => {
    const dir = directory(t)
    for (let start = 0; start < 3; start += 1) {
      await openAndClose(dir)
      assert.equal(readFileSync(join(dir, 'format'), 'utf8'), '1\n')
    }
  })

  test(`${name} opens and numbers a directory from before there was a number, also after a crash while doing so`, async (t) => {
    const dir = directory(t)
    await openAndClose(dir)
    rmSync(join(dir, 'format'))
    writeFileSync(join(dir, 'format.new'), '')
    await openAndClose(dir)
    assert.equal(readFileSync(join(dir, 'format'), 'utf8'), '1\n')
    assert.ok(!readdirSync(dir).includes('format.new'))
  })

  test(`${name} refuses a newer or an unknown format by name, changes nothing, and releases the directory`, async (t) => {
    const dir = directory(t)
    await openAndClose(dir)
    const left = join(dir, 'incoming', 'of-the-other-version')
    writeFileSync(left, 'x')
    for (const format of ['2', '10', '1.5', 'x', '']) {
      writeFileSync(join(dir, 'format'), format)
      await assert.rejects(openAndClose(dir), (error) => {
        assert.ok(isServiceError(error, 'DATA_FORMAT_NEWER'))
        assert.ok(
          error.message.includes(`'${dir}': its format is '${format}', this version knows up to 1`),
          error.message,
        )
        return true
      })
      assert.equal(readFileSync(left, 'utf8'), 'x')
    }
    writeFileSync(join(dir, 'format'), '1\n')
    await openAndClose(dir)
  })
}

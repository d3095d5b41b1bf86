// Tests of terminal output: no control characters, tables that fit, amounts, progress, file names.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { offeredName, safeName, saveFile } from '../save-file.ts'
import { messageOf } from '../system-messages.ts'
import { shownBytes, shownMoment, shownTime } from './format-amounts.ts'
import { fitted, jsonLine, printable, printableLines, textWidth } from './printable.ts'
import { progressText, RateMeter } from './progress.ts'
import { right, tableText } from './table.ts'
import { Terminal } from './terminal.ts'

test('printable() escapes what a terminal would interpret, and nothing else', () => {
  assert.equal(printable('ä€ 漢 😀 e\u0301'), 'ä€ 漢 😀 e\u0301')
  assert.equal(printable('\x1b[31m\x07\0\x7f\x9b1m'), '\\x1b[31m\\x07\\x00\\x7f\\x9b1m')
  assert.equal(printable('a\r\n\tb\u202e\u200b\u2028\ud800'), 'a\\r\\n\\tb\\u{202e}\\u{200b}\\u{2028}\\u{d800}')
  assert.equal(printableLines('a\tb\n\x1bc\r\n'), 'a\tb\n\\x1bc\\r\n')
})

test('jsonLine() writes the same value without characters that a terminal would interpret', () => {
  const value = { text: '\x1b\x9b\u202e\u{e0001}\ud800 ä\n' }
  const line = jsonLine(value)
  assert.deepEqual(JSON.parse(line), value)
  assert.equal(printable(line), line)
})

test('textWidth() and fitted() count columns, not characters', () => {
  assert.deepEqual([textWidth('abc'), textWidth('漢字'), textWidth('e\u0301'), textWidth('😀')], [3, 4, 1, 2])
  assert.deepEqual([fitted('abcdef', 6), fitted('abcdef', 5), fitted('漢字漢字', 6)], ['abcdef', 'abcd…', '漢字…'])
})

test('tableText() aligns columns, makes cells printable, and shortens them only to a given width', () => {
  const columns = [right('n'), 'text']
  const rows = [
    ['1', 'a\nb'],
    ['22', 'x'.repeat(40)],
  ]
  assert.equal(tableText(columns, rows, null), ` n  text\n 1  a\\nb\n22  ${'x'.repeat(40)}\n`)
  assert.equal(tableText(columns, rows, 20), ` n  text\n 1  a\\nb\n22  ${'x'.repeat(15)}…\n`)
})

test('amounts are rounded for readers', () => {
  assert.deepEqual([0, 1_023, 1_024, 104_805_171, 2 ** 50].map(shownBytes), [
    '0 B',
    '1023 B',
    '1.0 KB',
    '99.9 MB',
    '1024 TB',
  ])
  assert.deepEqual([0, 999, 1_000, 9_949, 9_950, 192_000, 7_500_000].map(shownTime), [
    '0 ms',
    '999 ms',
    '1.0 s',
    '9.9 s',
    '10 s',
    '3 m 12 s',
    '2 h 05 m',
  ])
  assert.deepEqual([shownMoment(0), shownMoment(Number.NaN)], ['1970-01-01 00:00:00Z', '-'])
})

test('RateMeter measures the rate of the last seconds, and restarts if the count does', () => {
  const meter = new RateMeter()
  assert.equal(meter.rate(0, 0), null)
  assert.equal(meter.rate(1_000, 1_000), 1_000)
  for (let ms = 1_100; ms <= 9_000; ms += 100) meter.rate(ms * 10, ms)
  assert.equal(Math.round(meter.rate(91_000, 9_100) ?? 0), 10_000)
  assert.equal(meter.rate(0, 9_200), null)
  assert.equal(progressText(50, 200, null), '25 % of 200 B')
  assert.equal(progressText(50, 200, 10), '25 % of 200 B · 10 B/s · 15 s left')
  assert.equal(progressText(50, null, 10), '50 B · 10 B/s')
  assert.equal(progressText(0, 0, null), '0 % of 0 B')
})

test('offeredName() and safeName() return no name that leads to another directory', () => {
  assert.equal(offeredName(`attachment; filename="sales.csv"`), 'sales.csv')
  assert.equal(offeredName(`attachment; filename="n_.csv"; filename*=UTF-8''n%C3%A4.csv`), 'nä.csv')
  assert.equal(offeredName(`attachment; filename*=UTF-8''%E0%A4; filename="x.csv"`), 'x.csv')
  assert.equal(offeredName(undefined), null)
  const names = ['../../etc/passwd', '..', '.bashrc', 'a\\b.csv', '-rf', 'a\x1b:b.csv', '/']
  assert.deepEqual(names.map(safeName), ['passwd', null, 'bashrc', 'b.csv', 'rf', 'a__b.csv', null])
})

test('saveFile() leaves a complete file or none, and replaces an existing file only on request', async (t) => {
  const dir = scratch(t)
  const path = join(dir, 'a.csv')
  const any = { bytes: null, sha256: null }
  async function* half() {
    yield Buffer.from('half')
    throw new Error('cut')
  }
  await assert.rejects(saveFile(path, half(), any, false), /cut/)
  await assert.rejects(saveFile(path, whole('abc'), { ...any, bytes: 4 }, false), /3 bytes arrived, expected 4/)
  await assert.rejects(
    saveFile(path, whole('abc'), { ...any, sha256: '00' }, false),
    /its SHA-256 is ba78.*expected 00/,
  )
  assert.deepEqual(readdirSync(dir), [])
  const nowhere = join(dir, 'missing', 'a.csv')
  const error = await saveFile(nowhere, whole('abc'), any, false).catch(messageOf)
  assert.equal(error, `Cannot write ${nowhere}: no such file or directory`)
  assert.deepEqual((await saveFile(path, whole('abc'), { ...any, bytes: 3 }, false)).bytes, 3)
  await assert.rejects(saveFile(path, whole('new'), any, false), /it exists; use --force to overwrite it/)
  await assert.rejects(saveFile(path, half(), any, true), /cut/)
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(dir)], ['abc', ['a.csv']])
  await saveFile(path, whole('new'), any, true)
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(dir)], ['new', ['a.csv']])
})

test('saveFile() and safeName() allow names as long as file systems do, in bytes', async (t) => {
  const longest = `${'名'.repeat(84)}.cs`
  assert.equal(Buffer.byteLength(longest), 255)
  const dir = scratch(t)
  await saveFile(join(dir, longest), whole('abc'), { bytes: null, sha256: null }, false)
  assert.deepEqual(readdirSync(dir), [longest])
  assert.deepEqual([safeName(longest), safeName(`${longest}v`)], [longest, longest])
  assert.equal(safeName('😀'.repeat(64)), '😀'.repeat(63))
})

test('saveFile() does not replace a file that was created in the meantime', async (t) => {
  const path = join(scratch(t), 'a.csv')
  async function* slow() {
    yield Buffer.from('ours')
    writeFileSync(path, 'theirs')
  }
  await assert.rejects(saveFile(path, slow(), { bytes: null, sha256: null }, false), /it exists/)
  assert.equal(readFileSync(path, 'utf8'), 'theirs')
})

test('Terminal uses colors and progress lines on a terminal only, as the environment says', () => {
  const shown = (isTTY: boolean, isBuild = false, quiet = false) => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 })
    const terminal = new Terminal(stream, stream, { isBuild }, quiet)
    return [terminal.paint('red', 'x').length > 1, terminal.showsProgress]
  }
  assert.deepEqual(
    [shown(true), shown(false)],
    [
      [true, true],
      [false, false],
    ],
  )
  assert.deepEqual(
    [shown(true, true), shown(true, false, true)],
    [
      [true, false],
      [true, false],
    ],
  )
})

async function* whole(text: string) {
  yield Buffer.from(text)
}

function scratch(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'save-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return dir
}

// Tests of sizes and durations at their edges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesIn, formatBytes, formatDuration, parseBytes, parseDuration } from './units.ts'

test('parseBytes() reads MB as 1,048,576 bytes and a bare number as bytes', () => {
  assert.equal(parseBytes('1000MB'), 1_048_576_000)
  assert.equal(parseBytes('1 mb'), 1_048_576)
  assert.equal(parseBytes(' 16KB '), 16_384)
  assert.equal(parseBytes('3B'), 3)
  assert.equal(parseBytes('2GB'), 2_147_483_648)
  assert.equal(parseBytes('1TB'), 1_099_511_627_776)
  assert.equal(parseBytes('10000000'), 10_000_000)
  assert.equal(parseBytes('0'), 0)
  assert.equal(bytesIn('MB'), 1_048_576)
})

test('parseBytes() reads units as people write them', () => {
  for (const text of ['1GiB', '1G', '1gb', '1 GB', '1.0g', '1024M']) assert.equal(parseBytes(text), 1_073_741_824, text)
  assert.equal(parseBytes('1.5GB'), 1_610_612_736)
  assert.equal(parseBytes('.5GB'), null)
})

test('parseBytes() refuses anything but an amount of whole bytes with a known unit', () => {
  for (const text of [
    '',
    'MB',
    'iB',
    '1iB',
    '1 XB',
    '1.5',
    '1.5B',
    '1.MB',
    '-1',
    '+1',
    '1e3',
    '1  MB',
    '0x10',
    '1_000',
    'NaN',
  ]) {
    assert.equal(parseBytes(text), null, text)
  }
})

test('parseBytes() accepts the largest safe integer and refuses the next', () => {
  assert.equal(parseBytes('9007199254740990'), Number.MAX_SAFE_INTEGER - 1)
  assert.equal(parseBytes('9007199254740991'), Number.MAX_SAFE_INTEGER)
  assert.equal(parseBytes('9007199254740992'), null)
  assert.equal(parseBytes('8191TB'), 8191 * 1024 ** 4)
  assert.equal(parseBytes('8192TB'), null)
})

test('formatBytes() writes text that parseBytes() reads back, one below, at and one above each unit', () => {
  assert.equal(formatBytes(1_048_576_000), '1000MB')
  for (const unit of [1, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4]) {
    for (const bytes of [unit - 1, unit, unit + 1, 7 * unit]) {
      assert.equal(parseBytes(formatBytes(bytes)), bytes, String(bytes))
    }
  }
  assert.equal(formatBytes(1023), '1023B')
  assert.equal(formatBytes(1024), '1KB')
  assert.equal(formatBytes(1025), '1025B')
})

test('parseDuration() reads ms, s, m, h, d and w, several of them, and a bare number as seconds', () => {
  assert.equal(parseDuration('500ms'), 500)
  assert.equal(parseDuration('30s'), 30_000)
  assert.equal(parseDuration('2 m'), 120_000)
  assert.equal(parseDuration('1h'), 3_600_000)
  assert.equal(parseDuration('2d'), 172_800_000)
  assert.equal(parseDuration('0s'), 0)
  assert.equal(parseDuration('90'), 90_000)
  assert.equal(parseDuration('1h30m'), 5_400_000)
  assert.equal(parseDuration('1h 30m'), 5_400_000)
  assert.equal(parseDuration('1w'), 604_800_000)
  for (const text of ['', 's', '1.5s', '1h30', '-1s', '30S', '1y', '9007199254740992ms', '9007199254740991ms1ms']) {
    assert.equal(parseDuration(text), null, text)
  }
})

test('formatDuration() writes text that parseDuration() reads back', () => {
  for (const ms of [0, 1, 999, 1_000, 1_001, 59_999, 60_000, 60_001, 3_600_000]) {
    assert.equal(parseDuration(formatDuration(ms)), ms, String(ms))
  }
  assert.equal(formatDuration(120_000), '2m')
})

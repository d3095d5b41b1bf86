// Convert: hand-written segments, random records, and a converter and a reader that are closed after their tests.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { createPartReader } from '../engine/duckdb-reader.ts'
import type { PartReader } from '../engine/part-reader.ts'
import { createColumnConverter } from './column-converter.ts'
import type { Converter, Segment, SegmentLayout, TargetColumn } from './converter.ts'
import { csvText, seed, writeColumns } from './writer/columns.testing.ts'

export { csvText, seed }

export const logger = { warn() {} }
export const jobMsMax = 60_000
export const never = new AbortController().signal

/** A converter with one thread, closed after the tests of the file that requests it. */
export function startConverter(): Converter {
  const converter = createColumnConverter({ size: 1, jobMsMax, logger })
  after(() => converter.close())
  return converter
}

/** A reader of parts, closed after the tests of the file that requests it. */
export function startReader(): PartReader {
  const reader = createPartReader({ size: 1, jobMsMax, logger })
  after(() => reader.close())
  return reader
}

/**
 * A directory that is removed after the test. Unless one is given, its name contains everything in a path that could
 * affect a statement.
 */
export function scratchDir(t: { after: TestContext['after'] }, name = "it's [a] ?*"): string {
  const outer = mkdtempSync(join(tmpdir(), name))
  t.after(() => rmSync(outer, { recursive: true, force: true }))
  const dir = join(outer, 'c0=1')
  mkdirSync(dir)
  return dir
}

export function layoutOf(width: number, other: Partial<SegmentLayout> = {}): SegmentLayout {
  return { width, delimiter: ',', quote: '"', lineTerminator: '\n', ...other }
}

export function writeSegment(
  dir: string,
  text: string,
  records: number,
  layout: SegmentLayout,
  name = 'segment.csv',
): Segment {
  const path = join(dir, name)
  writeFileSync(path, text)
  return { path, records, bytes: Buffer.byteLength(text), layout }
}

export function textColumns(width: number): readonly TargetColumn[] {
  return Array.from({ length: width }, (_, i) => ({ name: `column ${i}`, type: { kind: 'text' }, nullWords: [] }))
}

/** A part with one column of text, `column 0`, of these lines. */
export function writePart(dir: string, lines: string): string {
  const path = join(dir, 'part.parquet')
  writeFileSync(path, writeColumns(lines, { layout: layoutOf(1), columns: textColumns(1) }).part)
  return path
}

// Columns: measures the CPU time of the column writer alone for the mixed file, in one thread: `node bench/columns.ts`.
// The parts have 16 MB of records each, and are hashed and written as in the service.
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createColumnWriter } from '../src/columns/writer/create-column-writer.ts'
import { generateCsv } from './generate.ts'

const usage = 'usage: node bench/columns.ts [megabytes of records, default 1036]'
const megabytes = Number(process.argv[2] ?? 1036)
const partBytes = 16_777_216
const readBytes = 1_048_576
/** The buffer of a part is flushed at this size. */
const writeBytes = 1_048_576

const layout = { width: 8, delimiter: ',', quote: '"', lineTerminator: '\n' } as const
const columns = [
  { kind: 'integer' },
  { kind: 'text' },
  { kind: 'text' },
  { kind: 'text' },
  { kind: 'decimal', precision: 9, scale: 2 },
  { kind: 'number' },
  { kind: 'boolean', spelling: 'true' },
  { kind: 'timestamp' },
].map((type, i) => ({ name: `column ${i}`, type, nullWords: [] })) as Parameters<
  typeof createColumnWriter
>[0]['columns']

/** Writes whole records from `start` on as one part; returns its size and where the last record ends. */
function writePart(file: number, start: number, end: number, path: string): { bytes: number; records: number } {
  const out = openSync(path, 'w')
  const hash = createHash('sha256')
  const buffer = Buffer.alloc(writeBytes)
  let buffered = 0
  const flush = (bytes: Uint8Array) => {
    hash.update(bytes)
    writeSync(out, bytes)
  }
  const sink = (bytes: Uint8Array) => {
    if (buffered + bytes.length > writeBytes) {
      flush(buffer.subarray(0, buffered))
      buffered = 0
    }
    if (bytes.length > writeBytes) return flush(bytes)
    buffer.set(bytes, buffered)
    buffered += bytes.length
  }
  const writer = createColumnWriter({ layout, columns, sink })
  for (let at = start; at < end; ) {
    const count = readSync(file, writer.room(Math.min(readBytes, end - at)), { position: at })
    writer.filled(count)
    at += count
  }
  const { bytes, records } = writer.end()
  writer.close()
  flush(buffer.subarray(0, buffered))
  hash.digest()
  closeSync(out)
  if (bytes === null) throw new Error('a value did not fit')
  return { bytes, records }
}

/** The end of the record at or after a position. */
function recordEnd(file: number, at: number, fileBytes: number): number {
  const buffer = Buffer.alloc(65_536)
  const count = readSync(file, buffer, { position: at })
  const lineEnd = buffer.subarray(0, count).indexOf(10)
  return lineEnd < 0 ? fileBytes : at + lineEnd + 1
}

if (!(megabytes >= 1)) throw new Error(usage)
const dir = mkdtempSync(join(tmpdir(), 'bench-columns-'))
try {
  const path = join(dir, 'mixed.csv')
  const { bytes: fileBytes, records: written } = generateCsv({ path, seed: 1, bytes: megabytes * 1_000_000 })
  const file = openSync(path, 'r')
  for (let turn = 0; turn < 3; turn++) {
    const before = process.cpuUsage()
    const startedMs = performance.now()
    let partsBytes = 0
    let records = 0
    for (let at = recordEnd(file, 0, fileBytes); at < fileBytes; ) {
      const end = at + partBytes < fileBytes ? recordEnd(file, at + partBytes, fileBytes) : fileBytes
      const part = writePart(file, at, end, join(dir, 'part.parquet'))
      partsBytes += part.bytes
      records += part.records
      at = end
    }
    if (records !== written) throw new Error(`${records} records, expected ${written}`)
    const { user, system } = process.cpuUsage(before)
    const figures = {
      megabytes: Math.round(fileBytes / 1e6),
      parquetMegabytes: Math.round(partsBytes / 1e6),
      cpuSeconds: (user + system) / 1e6,
      seconds: (performance.now() - startedMs) / 1e3,
      cpuSecondsPer1036: ((user + system) / 1e6 / fileBytes) * 1036e6,
      peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
    }
    process.stdout.write(`${JSON.stringify(figures)}\n`)
  }
  closeSync(file)
} finally {
  rmSync(dir, { recursive: true })
}

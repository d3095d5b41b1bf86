// Scanner: measures the CPU time of the scanner alone for each shape of file, compared with a clean one.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readHead } from '../src/reading/read-head.ts'
import { headBytesMax } from '../src/reading/reading.ts'
import { dataStart, scanOptions } from '../src/reading/scan-options.ts'
import { createFileScanner } from '../src/reading/scanner/file-scanner.ts'
import { createScanner } from '../src/reading/scanner/wasm-scanner.ts'
import { generateCsv } from './generate.ts'
import { clean, type Shape, shapes, singleShapes } from './shapes.ts'

const bytes = 32_000_000
const rounds = 9
/** The size in which bodies arrive. */
const chunkBytes = 65_536
const recordBytesMax = 16_777_216
const directory = join(import.meta.dirname, '..', '.bench')
const create = createFileScanner(createScanner)

function contentOf(shape: Shape): Uint8Array {
  const path = join(directory, `scanner-${shape.name.replaceAll(/\W+/g, '-')}.csv`)
  if (!existsSync(path)) generateCsv({ path, seed: 1, bytes, shape })
  return readFileSync(path)
}

/** Prepares a run over one file; the run returns CPU milliseconds. */
function scanOf(shape: Shape): () => number {
  const content = contentOf(shape)
  const reading = readHead(content.subarray(0, headBytesMax), false)
  const options = scanOptions({ ...reading, start: dataStart(reading) }, recordBytesMax)
  return () => {
    const before = process.cpuUsage()
    const scanner = create(options)
    for (let at = reading.before.bytes; at < content.length; at += chunkBytes) {
      scanner.push(content.subarray(at, at + chunkBytes))
    }
    scanner.end()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}

mkdirSync(directory, { recursive: true })
const all = [clean, ...singleShapes, ...shapes].map((shape) => ({
  name: shape.name,
  scan: scanOf(shape),
  leastMs: Infinity,
}))
// In turns, so that other load affects all shapes. The minimum counts, because load only ever adds time.
for (let round = 0; round < rounds; round++) {
  for (const one of all) one.leastMs = Math.min(one.leastMs, one.scan())
}
const cleanMs = all[0]!.leastMs
console.log('| File | MB a second | Times a clean one |\n| --- | --- | --- |')
for (const { name, leastMs } of all) {
  console.log(`| ${name} | ${Math.round(bytes / 1000 / leastMs)} | ${(leastMs / cleanMs).toFixed(1)} |`)
}

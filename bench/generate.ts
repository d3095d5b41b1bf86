// Generate: writes CSV files of mixed types for the benchmarks. The same seed and size give the same bytes.
import { closeSync, openSync, writeSync } from 'node:fs'
import { clean, type Shape } from './shapes.ts'

const firstNames = ['Anna', 'Bob', 'Carla', 'Dieter', 'Elif', 'François', 'Göran', 'Hana', 'Igor', 'Jörg']
const cities = ['Berlin', 'Paris', 'New York', '"Saint-Denis, Réunion"', 'Tokyo', 'Zürich', '"O""Fallon"', 'Lima']
const bytesPerWrite = 1_000_000

/** Marsaglia's xorshift32; `seed` must not be 0. */
function createRandom(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

export interface GenerateOptions {
  readonly path: string
  readonly seed: number
  /** The file ends with the first record at or past this size. */
  readonly bytes: number
  /** Default: clean. */
  readonly shape?: Shape
}

/** Writes a file of 8 columns (integer, three texts, decimal, number, boolean, timestamp); returns its size. */
export function generateCsv({ path, seed, bytes, shape = clean }: GenerateOptions): { records: number; bytes: number } {
  const random = createRandom(seed)
  const file = openSync(path, 'w')
  let written = writeSync(file, shape.encode(shape.header))
  let records = 0
  while (written < bytes) {
    const pieces: Buffer[] = []
    let pendingBytes = 0
    while (pendingBytes < bytesPerWrite && written + pendingBytes < bytes) {
      const id = ++records
      const made = shape.record(cellsOf(id, random), id, () => cellsOf(id, random))
      const piece = typeof made === 'string' ? shape.encode(made) : made
      pieces.push(piece)
      pendingBytes += piece.length
    }
    written += writeSync(file, Buffer.concat(pieces))
  }
  closeSync(file)
  return { records, bytes: written }
}

function cellsOf(id: number, random: (below: number) => number): readonly string[] {
  const two = (below: number, from = 0) => String(from + random(below)).padStart(2, '0')
  const name = firstNames[random(firstNames.length)] as string
  return [
    String(id),
    `${name} ${random(100_000)}`,
    `${name.toLowerCase()}${random(100_000)}@example.org`,
    cities[random(cities.length)] as string,
    `${random(100_000)}.${two(100)}`,
    String(random(1_000_000) / 1_000_000),
    String(random(2) === 1),
    `${2000 + random(26)}-${two(12, 1)}-${two(28, 1)} ${two(24)}:${two(60)}:${two(60)}`,
  ]
}

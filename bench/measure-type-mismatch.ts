// Uploads a file whose last record has a text in a column of numbers, and the same file without it.
import { constants, copyFileSync, existsSync, writeFileSync } from 'node:fs'
import type { Bench } from './bench.ts'
import { median } from './statistics.ts'

const bytes = 1_036_000_000
const rounds = 3
const lastRecord = '0,Anna,anna@example.org,Berlin,unknown,0.5,true,2024-01-01 00:00:00\n'

/** The files take turns, so that other load on the machine affects both. */
export async function measureTypeMismatch(bench: Bench) {
  const cleanPath = bench.file({ bytes })
  const path = cleanPath.replace(/\.csv$/, '-late-mismatch.csv')
  if (!existsSync(path)) {
    copyFileSync(cleanPath, path, constants.COPYFILE_FICLONE)
    writeFileSync(path, lastRecord, { flag: 'a' })
  }
  await bench.uploadOnce(cleanPath)
  const turns: { cleanMs: number; mismatchMs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { ms: cleanMs } = await bench.uploadOnce(cleanPath)
    const { ms: mismatchMs } = await bench.uploadOnce(path)
    turns.push({ cleanMs, mismatchMs })
  }
  const ratios = turns.map(({ cleanMs, mismatchMs }) => mismatchMs / cleanMs)
  return {
    bytes,
    rounds,
    cleanMs: median(turns.map((turn) => turn.cleanMs)),
    mismatchMs: median(turns.map((turn) => turn.mismatchMs)),
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
  }
}

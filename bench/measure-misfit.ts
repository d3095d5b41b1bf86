// Measure misfit: uploads a file whose last record has a text in a column of numbers, and the same file without it.
import { constants, copyFileSync, existsSync, writeFileSync } from 'node:fs'
import type { Bench } from './bench.ts'
import { median } from './statistics.ts'

const bytes = 1_036_000_000
const rounds = 3
const lastRecord = '0,Anna,anna@example.org,Berlin,unknown,0.5,true,2024-01-01 00:00:00\n'

/** The files take turns, so that other load on the machine affects both. */
export async function measureMisfit(bench: Bench) {
  const cleanPath = bench.file({ bytes })
  const path = cleanPath.replace(/\.csv$/, '-late-misfit.csv')
  if (!existsSync(path)) {
    copyFileSync(cleanPath, path, constants.COPYFILE_FICLONE)
    writeFileSync(path, lastRecord, { flag: 'a' })
  }
  await bench.uploadOnce(cleanPath)
  const turns: { cleanMs: number; misfitMs: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { ms: cleanMs } = await bench.uploadOnce(cleanPath)
    const { ms: misfitMs } = await bench.uploadOnce(path)
    turns.push({ cleanMs, misfitMs })
  }
  const ratios = turns.map(({ cleanMs, misfitMs }) => misfitMs / cleanMs)
  return {
    bytes,
    rounds,
    cleanMs: median(turns.map((turn) => turn.cleanMs)),
    misfitMs: median(turns.map((turn) => turn.misfitMs)),
    ratio: median(ratios),
    ratioMin: Math.min(...ratios),
    ratioMax: Math.max(...ratios),
  }
}

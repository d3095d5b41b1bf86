// Exports: random tables, sent in every way, must have the same cells in every export as for a second reader.
import { startComparison, tables } from '../test/support/exported-tables.ts'
import { createRandom } from '../test/support/samples.ts'
import type { Run, Scale } from './modules.ts'

const cellsWanted: Readonly<Record<Scale, number>> = { short: 5_000_000, long: 100_000_000 }

export const run: Run = async (scale, seed) => {
  const cpu = process.cpuUsage()
  await using comparison = await startComparison()
  let [cells, sent] = [0, 0]
  const compareSome = async () => {
    while (cells < cellsWanted[scale]) {
      const table = sent++
      cells += await comparison.compare(tables[table % tables.length]!, createRandom(seed + table))
      process.stderr.write(`${cells} cells\n`)
    }
  }
  // Three at once, so that no core waits.
  await Promise.all([compareSome(), compareSome(), compareSome()])
  const { user, system } = process.cpuUsage(cpu) // microseconds
  return { tables: sent, cells, 'CPU time of the readers, s': Math.round((user + system) / 1_000_000), differences: 0 }
}

// Main: runs the benchmarks, and writes bench/figures.json and the plots of the docs. Not a test.
//   npm run bench                      runs everything except the comparison with other tools
//   npm run bench -- --peers           runs everything
//   npm run bench -- --only sizes,use  runs some rows; the figures of the others stay as they are
//   npm run bench -- --list            lists the rows
//   SCALE=0.01 npm run bench           tries files of a hundredth of the size; the figures are only printed
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openBench, scale, whereAndWhen } from './bench.ts'
import { figuresUrl, readFigures } from './figures.ts'
import { writePlots } from './plots.ts'
import { type BenchRow, rows } from './rows.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, peers: { type: 'boolean' }, list: { type: 'boolean' } },
})
if (values.list) for (const { name, what } of rows) console.log(`${name.padEnd(10)} ${what}`)
else process.exitCode = await measureRows(chosenRows())

function chosenRows(): readonly BenchRow[] {
  const names = values.only?.split(',')
  const unknown = names?.filter((name) => !rows.some((row) => row.name === name)) ?? []
  if (unknown.length > 0)
    throw new Error(`Cannot measure '${unknown}', expected some of ${rows.map(({ name }) => name)}`)
  return rows.filter(({ name, isUsual }) => names?.includes(name) ?? (isUsual || values.peers))
}

/** Writes the figures after each row, so that a later failure does not lose them. Returns the exit code. */
async function measureRows(chosen: readonly BenchRow[]): Promise<number> {
  const seed = Number(process.env.SEED ?? 1)
  const isWhole = rows.every((row) => !row.isUsual || chosen.includes(row))
  const before: Measured = { ...readFigures() }
  const { peers } = before
  // The figures of the other rows keep their date.
  const measured: Measured & ReturnType<typeof whereAndWhen> = {
    ...whereAndWhen(),
    seed,
    ...(isWhole ? peers !== undefined && { peers } : before),
  }
  const problems: string[] = []
  for (const { name, measure } of chosen) {
    const startedMs = performance.now()
    try {
      // A new service for each row, so that rows do not affect each other's memory.
      await using bench = await openBench(seed)
      measured[name] = await measure(bench)
    } catch (error) {
      console.error(error)
      problems.push(name)
      if (name in before) measured[name] = before[name]
    }
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    console.error(`${name}: ${seconds} s`)
    if (scale === 1) writeFileSync(figuresUrl, `${JSON.stringify(measured, null, 2)}\n`)
  }
  if (scale === 1) writePlots(readFigures())
  console.log(JSON.stringify(measured, null, 2))
  if (problems.length > 0) console.error(`Failed, figures unchanged: ${problems.join(', ')}`)
  return problems.length > 0 ? 1 : 0
}

type Measured = Record<string, unknown>

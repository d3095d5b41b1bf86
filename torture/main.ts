// Main: runs the modules of the torture one after another, and keeps the results of long runs in figures.json.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { figuresUrl, readFigures, type TortureFigures } from './figures.ts'
import { modules, type Run, type Scale } from './modules.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    scale: { type: 'string', default: 'long' },
    seed: { type: 'string', default: process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31)) },
  },
})
const scale = values.scale as Scale // checked in the next line
if (scale !== 'short' && scale !== 'long') throw new Error(`Cannot run at scale '${scale}': expected short or long`)
const only = values.only ?? modules.map(({ name }) => name)
const unknown = only.find((name) => !modules.some((module) => module.name === name))
if (unknown !== undefined)
  throw new Error(`Cannot run '${unknown}': expected one of ${modules.map(({ name }) => name).join(', ')}`)
const seed = Number(values.seed)

for (const { name } of modules) {
  if (!only.includes(name)) continue
  process.stderr.write(`${name} (${scale}, seed ${seed})\n`)
  const startMs = performance.now()
  try {
    const { run } = (await import(`./${name}.ts`)) as { readonly run: Run } // each module exports it
    const figures = await run(scale, seed)
    const seconds = (performance.now() - startMs) / 1_000
    process.stdout.write(`${JSON.stringify({ name, seed, seconds, ...figures })}\n`)
    if (scale === 'long') keep(name, { date: today(), machine: machine(), seed, seconds, figures })
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${name} failed; --only ${name} --scale ${scale} --seed ${seed} runs it again\n`)
    console.error(error)
  }
}

/** Reads the file again for each module, so that concurrent runs lose nothing. */
function keep(name: string, figures: TortureFigures): void {
  writeFileSync(figuresUrl, `${JSON.stringify({ ...readFigures(), [name]: figures }, null, 2)}\n`)
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

function machine(): string {
  return `${cpus().length} cores, ${process.platform}, Node ${process.versions.node}`
}

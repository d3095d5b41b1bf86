// Run mutants: breaks the code in a copy of the checkout, one break at a time, and runs the test that must fail.
// A mutant that its test does not detect, or whose text is missing, fails the run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findCommand } from '../../src/engine/sandbox/spawn-child.ts'
import { copyCheckout } from './copy-checkout.ts'
import { type Mutant, mutants } from './mutants.ts'

/** A broken test may take as long as this and as ten times the unbroken one, which a busy machine makes slow, too. */
const testMsMin = 60_000
const unbrokenMsMax = 1_800_000

/** A broken loop may take all available memory. Bytes. */
const processBytesMax = 4_000_000_000

const prlimit = findCommand('prlimit')

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })
const chosen = mutants.filter(({ id }) => values.only?.includes(id) ?? true)
if (chosen.length === 0) throw new Error(`Cannot find mutant '${values.only?.join()}'`)

// Otherwise the groups of the tests, see `passes`, would outlive this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const startMs = performance.now()
const failures: string[] = []
let doneCount = 0
// Mutants of the same test run one after another in one copy, so that the unchanged test runs only once.
const queue = [...Map.groupBy(chosen, ({ test }) => test)].toSorted(([, a], [, b]) => b.length - a.length).values()
await Promise.all(Array.from({ length: availableParallelism() }, work))
for (const failure of failures) process.stdout.write(`${failure}\n`)
const seconds = Math.round((performance.now() - startMs) / 1_000)
process.stdout.write(`${chosen.length - failures.length} passed, ${failures.length} failed, in ${seconds} s\n`)
if (failures.length > 0) process.exitCode = 1

async function work(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-mutants-'))
  try {
    await copyCheckout(dir)
    for (const [test, group] of queue) {
      const beganMs = performance.now()
      if (!(await passes(dir, test, unbrokenMsMax)))
        failures.push(...group.map(({ id }) => `${id}: ${test} fails without it`))
      else {
        const msMax = testMsMin + 10 * (performance.now() - beganMs)
        for (const mutant of group) await tryMutant(dir, mutant, msMax)
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function tryMutant(dir: string, { id, path, find, replace, test }: Mutant, msMax: number): Promise<void> {
  const file = join(dir, path)
  const text = await readFile(file, 'utf8')
  const broken = text.replace(find, () => replace)
  let failure: string | null = null
  if (text.split(find).length !== 2) failure = `its text is not found once in ${path}`
  else if (!isCode(broken)) failure = 'it is not valid code'
  else {
    await change(dir, path, broken)
    if (await passes(dir, test, msMax)) failure = `it survives ${test}`
    await change(dir, path, text)
  }
  doneCount += 1
  process.stdout.write(`${doneCount}/${chosen.length} ${failure === null ? 'killed' : 'FAILED'} ${id}\n`)
  if (failure !== null) failures.push(`${id}: ${failure}`)
}

/** Replaces a file, and what is built from it. */
async function change(dir: string, path: string, text: string): Promise<void> {
  await writeFile(join(dir, path), text)
  if (!path.startsWith('wasm/')) return
  const [code] = await once(spawn(process.execPath, ['scripts/build-scanner.mjs'], { cwd: dir }), 'exit')
  if (code !== 0) throw new Error(`Cannot build ${path}`)
}

/** Whether the code parses: if not, every test would fail. */
function isCode(text: string): boolean {
  try {
    stripTypeScriptTypes(text)
    return true
  } catch {
    return false
  }
}

/** Whether the test passes; one that hangs or takes too much memory does not. Ends what it started. */
async function passes(dir: string, test: string, msMax: number): Promise<boolean> {
  const limited = prlimit === undefined ? [] : [prlimit, `--data=${processBytesMax}`]
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--test', test]
  const [command, ...rest] = [...limited, ...node]
  // A process group of its own, which has the processes of the test, too.
  const child = spawn(command!, rest, { cwd: dir, stdio: 'ignore', detached: true })
  const endGroup = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // Nothing of it is left.
    }
  }
  process.on('exit', endGroup)
  const late = setTimeout(endGroup, msMax)
  const [code] = await once(child, 'exit')
  clearTimeout(late)
  process.off('exit', endGroup)
  endGroup()
  return code === 0
}

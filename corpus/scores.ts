// Scores: runs the scoring scripts that lie beside the corpora and takes their figures. Knows their names and output only.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export interface Score {
  readonly name: string
  /** What the script printed about it, or why there is no figure. */
  readonly figure: string
}

interface Script {
  readonly name: string
  /** Each is run in turn, `$B` being the service and `$OUT` a directory; the figure is taken from the last. */
  readonly runs: readonly string[]
  readonly figure: RegExp
}

const scripts: readonly Script[] = [
  {
    name: 'Pollock measures on the twin',
    runs: ['http_run.py csv $B corpora/twin/polluted_files/csv $OUT/twin', 'pollock_score.py $OUT/twin corpora/twin'],
    figure: /"simple": [\d.]+, "weighted": [\d.]+/,
  },
  {
    name: 'Dialects of the twin',
    runs: ['dialect_score.py $B corpora/twin/polluted_files/csv corpora/twin/polluted_files/parameters'],
    figure: /files \d+ .*right \d+ = [\d.]+%/,
  },
  { name: 'csv-spectrum', runs: ['exact_score.py $B corpora/csv-spectrum'], figure: /cases .*/ },
  { name: 'papaparse', runs: ['exact_score.py $B corpora/papaparse/cases.jsonl'], figure: /cases .*/ },
  { name: 'encodings', runs: ['encodings_score.py $B corpora/encodings'], figure: /good \d+ of \d+/ },
  {
    name: 'multipart bodies',
    runs: ['http_run.py raw $B corpora/multipart/cases.jsonl $OUT/multipart.jsonl'],
    figure: /right \d+ of \d+/,
  },
  {
    name: 'multipart bodies, part renamed',
    runs: ['http_run.py raw $B corpora/multipart/cases.jsonl $OUT/transplant.jsonl --transplant'],
    figure: /right \d+ of \d+/,
  },
]

/** Runs every script against the service. @param shared The folder that holds `corpora/` and `tools/`. */
export async function runScores(url: string, shared: string, outDir: string): Promise<readonly Score[]> {
  const scores: Score[] = []
  for (const script of scripts) scores.push({ name: script.name, figure: await figureOf(script, url, shared, outDir) })
  return scores
}

async function figureOf({ runs, figure }: Script, url: string, shared: string, outDir: string): Promise<string> {
  let printed = ''
  for (const run of runs) {
    const [name = '', ...args] = run.replace('$B', url).replace('$OUT', outDir).split(' ')
    const script = join(shared, 'tools', name)
    if (!existsSync(script)) return `not measured: ${name} is not there`
    printed = await output(script, args, shared)
  }
  const lastLine = printed.trim().split('\n').at(-1) ?? ''
  return figure.exec(printed)?.[0].replaceAll('"', '') ?? `not measured: ${lastLine}`
}

/** What a script prints; its exit code only says whether every case was right. */
function output(script: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('python3', [script, ...args], { cwd, timeout: 300_000 }, (error, stdout, stderr) => {
      resolve(stdout === '' ? `${stderr}${error?.code === 'ENOENT' ? 'python3 is not there' : ''}` : stdout)
    })
  })
}

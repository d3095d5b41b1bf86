// Corpus: uploads every file of the corpora, or below the folder given, to a service of its own and writes what came of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type RunningService, startService } from '../bench/service.ts'
import { randomFrom } from '../src/core/random.testing.ts'
import { receiptOf, violationsOf } from './conservation.ts'
import { csvwScore } from './csvw.ts'
import { type CorpusFigures, figuresUrl, markdown, type SetFigures } from './figures.ts'
import { differsByWrites, differsReread } from './same.ts'
import { runScores } from './scores.ts'
import { type CorpusFile, type CorpusSet, folderSet, knownSets } from './sets.ts'
import { hangMs, upload } from './upload.ts'

/** One in so many files that were accepted is sent again; larger ones take too long in writes of a few bytes. */
const repeatEvery = 7
const repeatBytesMax = 131_072
const writeBytesMax = 64

class Run {
  readonly #url: string
  readonly #smallWrites: string[] = []
  readonly #rereadings: string[] = []
  #accepted = 0
  #repeated = 0
  #reread = 0

  constructor({ url }: RunningService) {
    this.#url = url
  }

  async set({ name, files }: CorpusSet): Promise<SetFigures> {
    const counts = { accepted: 0, refused: 0, failed: 0, hangs: 0 }
    const violations: string[] = []
    let slowestMs = 0
    for (const file of files) {
      const bytes = readFileSync(file.path)
      const answer = await upload(this.#url, { fileName: basename(file.name), bytes })
      slowestMs = Math.max(slowestMs, answer.ms)
      if (answer.status === 200) counts.accepted++
      else if (answer.status >= 400 && answer.status < 500) counts.refused++
      else counts.failed++
      if (answer.ms >= hangMs) counts.hangs++
      for (const wrong of await violationsOf(this.#url, bytes, answer)) violations.push(`${file.name}: ${wrong}`)
      const receipt = receiptOf(answer)
      if (receipt !== null) await this.#again(file, bytes, receipt)
    }
    return { name, files: files.length, ...counts, violations, slowestMs }
  }

  async #again(file: CorpusFile, bytes: Uint8Array, receipt: NonNullable<ReturnType<typeof receiptOf>>): Promise<void> {
    const fileName = basename(file.name)
    const told = (wrong: string | null) => (wrong === null ? [] : [`${file.name}: ${wrong}`])
    const failed = (error: unknown) => String(error)
    this.#reread++
    this.#rereadings.push(...told(await differsReread(this.#url, receipt, fileName).catch(failed)))
    if (this.#accepted++ % repeatEvery !== 0 || bytes.length > repeatBytesMax) return
    this.#repeated++
    const nextWriteBytes = () => 1 + random(writeBytesMax)
    const sending = { fileName, bytes, nextWriteBytes }
    this.#smallWrites.push(...told(await differsByWrites(this.#url, receipt, sending).catch(failed)))
  }

  repeats(): Pick<CorpusFigures, 'smallWrites' | 'rereadings'> {
    return {
      smallWrites: { files: this.#repeated, different: this.#smallWrites },
      rereadings: { files: this.#reread, different: this.#rereadings },
    }
  }
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const random = randomFrom(seed)
process.stderr.write(`SEED=${seed}\n`)
const [folder] = process.argv.slice(2)
const shared = resolve(import.meta.dirname, '..', '..', 'shared')
const sets = folder === undefined ? knownSets(join(shared, 'corpora')) : [folderSet(resolve(folder))]
const count = sets.reduce((sum, { files }) => sum + files.length, 0)
if (count === 0) {
  process.stderr.write(`No files below ${folder ?? '../shared/corpora'}: give the folder that holds some.\n`)
  process.exit(1)
}
const dir = mkdtempSync(join(tmpdir(), 'csv-upload-corpus-'))
const service = await startService(join(dir, 'data'))
try {
  const run = new Run(service)
  const setFigures: SetFigures[] = []
  for (const set of sets) {
    process.stderr.write(`${set.name}: ${set.files.length} files\n`)
    setFigures.push(await run.set(set))
  }
  const scores =
    folder === undefined
      ? [
          ...(await runScores(service.url, shared, join(dir, 'out'))),
          await csvwScore(service.url, join(shared, 'corpora/csvw/tests')),
        ]
      : []
  const figures = { date: new Date().toISOString().slice(0, 10), sets: setFigures, ...run.repeats(), scores }
  process.stdout.write(`${markdown(figures)}\n`)
  const broken = setFigures.flatMap(({ violations }) => violations)
  const different = [...figures.smallWrites.different, ...figures.rereadings.different]
  for (const wrong of [...broken, ...different]) process.stdout.write(`${wrong}\n`)
  // The figures of the docs are those of the corpora that everyone has.
  if (folder === undefined) writeFileSync(figuresUrl, `${JSON.stringify(figures, null, 2)}\n`)
  if (broken.length + different.length > 0) process.exitCode = 1
} finally {
  await service.stop()
  rmSync(dir, { recursive: true, force: true })
}

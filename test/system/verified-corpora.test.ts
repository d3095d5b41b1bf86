// Tests of verification on every file of the corpora: the service's own and scripts/verify.py, which share no code, agree.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Client, type FileToSend } from '../support/client.ts'
import { parquetReaders } from '../support/client-generators.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { assertVerified, checksOf } from '../support/verified.ts'

const corpora = new URL('../../../shared/corpora/', import.meta.url).pathname
const script = join(import.meta.dirname, '../../scripts/verify.py')
const tools = await parquetReaders()
const service = await ownService()
const client = new Client(service.url)
const scratchPath = dirname(service.dataDir)

/** Files that Python's csv module, or its codec, reads in another way: a header that is not UTF-8, and unusual quotes. */
const others = ['fuzzing/22.csv', '14512_og.csv', 'multidelimiter/file_ends_in_quoted_value.csv']

const folders = [
  'twin/polluted_files/csv',
  'csv-spectrum',
  'encodings',
  'real',
  'duckdb-csv/files',
  'findings',
  'csvw',
  'exports',
]
const isTable = (path: string) => statSync(path).isFile() && !/\.(jsonl?|md|py|html|ttl)$/.test(path)

function dirOf(id: string): string {
  return join(service.dataDir, 'datasets', id)
}

/** What the script prints about datasets that differ, and its exit code. */
function verifiedByPython(dirs: readonly string[]): {
  readonly code: number | null
  readonly differing: readonly string[]
} {
  const python = 'missing' in tools ? 'python3' : join(tools.dir, 'bin/python')
  const { status, stdout, stderr } = spawnSync(python, [script, ...dirs], { encoding: 'utf8', maxBuffer: 100_000_000 })
  const lines = stdout.trim().split('\n')
  assert.match(lines.pop() ?? '', /^\d+ datasets, \d+ with differences$/, stderr)
  return { code: status, differing: lines.filter((line) => !line.includes('values are not compared')) }
}

/** The ids of the datasets of files; refused ones have none. */
async function uploaded(files: readonly FileToSend[]): Promise<readonly string[]> {
  const ids: string[] = []
  for (const file of files) {
    const { status, body } = await client.send(file)
    if (status === 200) ids.push(JSON.parse(body.toString()).id)
  }
  return ids
}

async function assertBothAgree(ids: readonly string[]): Promise<void> {
  for (const id of ids) await assertVerified(dirOf(id))
  if ('missing' in tools) return
  assert.deepEqual(verifiedByPython(ids.map(dirOf)).differing, [])
}

for (const folder of folders) {
  test(`both verifiers agree on the files of ${folder}`, async (t) => {
    const dir = join(corpora, folder)
    if (!existsSync(dir)) return t.skip('the corpora are not beside the checkout')
    if ('missing' in tools) t.diagnostic(`without scripts/verify.py: ${tools.missing}`)
    const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) => isTable(join(dir, path)))
    const known = paths.filter((path) => !others.some((other) => path.endsWith(other)))
    const ids = await uploaded(known.map((path) => ({ content: readFileSync(join(dir, path)) })))
    assert.ok(ids.length > known.length * 0.8, `${ids.length} of ${known.length} files were accepted`)
    await assertBothAgree(ids)
  })
}

test('both verifiers agree on files with a declared dialect or schema', async (t) => {
  const path = join(corpora, 'findings/expected.jsonl')
  if (!existsSync(path)) return t.skip('the corpora are not beside the checkout')
  const cases = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const declared = cases.filter(({ dialect, schema }) => dialect ?? schema)
  await assertBothAgree(
    await uploaded(
      declared.map(({ file, dialect, schema }) => ({
        content: readFileSync(join(corpora, 'findings', file)),
        ...(dialect && { dialect }),
        ...(schema && { schema }),
      })),
    ),
  )
})

test('scripts/verify.py names a value, a record and a file that differ', async (t) => {
  if ('missing' in tools) return t.skip(tools.missing)
  const content = csvText('id,text', 30, (i) => `${i},x${i}`)
  const [one, other] = await uploaded([{ content }, { content: content.replace('20,x20', '20,x21') }])
  const copy = join(scratchPath, 'copy')
  await cp(dirOf(one!), copy, { recursive: true })
  const part = 'data/part-00000.parquet'
  await cp(join(dirOf(other!), part), join(copy, part))
  const { code, differing } = verifiedByPython([copy])
  assert.equal(code, 1)
  assert.deepEqual(differing, [`${copy}: ${part}: SHA-256 differs`, `${copy}: record 21, text: 'x21' for 'x20'`])
  await writeFile(join(copy, 'original'), (await readFile(join(copy, 'original'), 'utf8')).replace('x3', 'y3'))
  assert.match(verifiedByPython([copy]).differing.join('\n'), /SHA-256 of the original/)
  assert.ok((await checksOf(copy)).some(({ check, ok }) => check === 'original' && !ok))
})

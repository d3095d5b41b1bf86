// CSVW: reads the tables of the CSV on the Web tests without their metadata and compares rows and cells with the expected JSON.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { receiptOf } from './conservation.ts'
import type { Score } from './scores.ts'
import { download, upload } from './upload.ts'

interface Entry {
  readonly id: string
  readonly type: string
  readonly action: string
  readonly result?: string
  /** Metadata that the test finds beside the file. */
  readonly implicit?: readonly string[]
}

interface Table {
  readonly url: string
  readonly row: readonly { readonly describes: readonly Readonly<Record<string, unknown>>[] }[]
}

/** Metadata may name columns anew, give cells another form, and take the header for a record; the file alone says the rest. */
type Outcome = 'equal' | 'other names' | 'other cells' | 'other rows' | 'refused'

const suiteUrl = 'http://www.w3.org/2013/csvw/tests/'

/** Reads every table of the positive tests that has one description a row. @param folder Holds the manifest of the suite. */
export async function csvwScore(url: string, folder: string): Promise<Score> {
  const name = 'CSV on the Web'
  const path = join(folder, 'manifest-json.jsonld')
  if (!existsSync(path)) return { name, figure: 'not measured: the manifest is not there' }
  const { entries } = JSON.parse(readFileSync(path, 'utf8')) as { entries: readonly Entry[] } // the suite's own shape
  const plain: Outcome[] = []
  const described: Outcome[] = []
  for (const entry of entries) {
    for (const table of tablesOf(entry, folder)) {
      const file = table.url.slice(suiteUrl.length)
      const isPlain = entry.action === file && entry.implicit === undefined
      ;(isPlain ? plain : described).push(await outcomeOf(url, join(folder, file), table))
    }
  }
  return {
    name,
    figure: `without metadata: ${counted(plain)}; with metadata, which was not read: ${counted(described)}`,
  }
}

function counted(outcomes: readonly Outcome[]): string {
  const kinds: readonly Outcome[] = ['equal', 'other names', 'other cells', 'other rows', 'refused']
  const counts = kinds.map((kind) => [kind, outcomes.filter((outcome) => outcome === kind).length] as const)
  return counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')
}

/** The tables of a result whose files are at hand and whose rows describe one thing each. */
function tablesOf({ type, result }: Entry, folder: string): readonly Table[] {
  if (type.includes('Negative') || result === undefined || !existsSync(join(folder, result))) return []
  const { tables } = JSON.parse(readFileSync(join(folder, result), 'utf8')) as { tables?: readonly Table[] }
  return (tables ?? []).filter(
    ({ url, row }) =>
      url.startsWith(suiteUrl) && existsSync(join(folder, url.slice(suiteUrl.length))) && row !== undefined,
  )
}

async function outcomeOf(url: string, path: string, table: Table): Promise<Outcome> {
  const receipt = receiptOf(await upload(url, { fileName: basename(path), bytes: readFileSync(path) }))
  if (receipt === null) return 'refused'
  const page = await download(url, `/qas/datasets/${receipt.id}/data.csv?header=true`)
  const [names = [], ...rows] = parse(page.toString())
  if (rows.length !== table.row.length) return 'other rows'
  // What is empty is left out of a description; members with @ are made by metadata.
  const found = rows.map((row) => row.flatMap((value, at) => (value === '' ? [] : [[names[at] ?? '', value]])))
  const wanted = table.row.map(({ describes: [first = {}] }) =>
    Object.entries(first).flatMap(([name, value]) => (name.startsWith('@') ? [] : [[name, String(value)]])),
  )
  const values = (rows: readonly string[][][]) => JSON.stringify(rows.map((row) => row.map(([, value]) => value)))
  if (JSON.stringify(found) === JSON.stringify(wanted)) return 'equal'
  return values(found) === values(wanted) ? 'other names' : 'other cells'
}

/** Reads RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === '' && row.length === 0 && quoted === undefined && plain === '') break
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

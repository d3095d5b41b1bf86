// Sets: which files there are to upload. Knows the folders of the corpora and nothing of what should come of a file.
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface CorpusSet {
  readonly name: string
  readonly files: readonly CorpusFile[]
}

export interface CorpusFile {
  /** Below the folder of the set. */
  readonly name: string
  readonly path: string
}

/** Where the files of a set lie below the corpora; the others hold expectations. Sets of cases in one file are scored only. */
const folders: readonly (readonly [set: string, folder: string, match: RegExp])[] = [
  ['twin', 'twin/polluted_files/csv', /./],
  ['csv-spectrum', 'csv-spectrum/csvs', /./],
  ['encodings', 'encodings/in', /./],
  ['real', 'real', /\.(csv|tsv)$/],
  ['duckdb-csv', 'duckdb-csv/files', /./],
  ['csvw', 'csvw/tests', /\.(csv|tsv)$/],
]

/** The sets below the corpora; those that are not there are left out. */
export function knownSets(corpora: string): readonly CorpusSet[] {
  return folders
    .map(([name, folder, match]) => ({ name, files: filesBelow(join(corpora, folder), match) }))
    .filter(({ files }) => files.length > 0)
}

/** Every file below a folder as one set. */
export function folderSet(folder: string): CorpusSet {
  return { name: basename(folder), files: filesBelow(folder, /./) }
}

function filesBelow(folder: string, match: RegExp): CorpusFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ name, path }) => match.test(name) && statSync(path).isFile())
}

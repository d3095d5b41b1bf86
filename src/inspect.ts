// Inspect: what a service finds on this machine, without a server. Like app.ts, a place where implementations are chosen.
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from './config/config.ts'
import { requireBinding } from './engine/duckdb/binding.ts'
import { Sandbox } from './engine/sandbox/sandbox.ts'
import { freeBytesAt } from './io/files/durable.ts'
import { formatNow, formatOf } from './store/fs/directory-format.ts'

/** @param argv Options of `csv-upload serve`; its environment counts, too. @throws {ConfigError} */
export async function inspectMachine(argv: readonly string[]) {
  const { dataDir, storeUrl, sandbox } = readConfig(argv)
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'csv-upload-')))
  try {
    const { holds, isolates } = await Sandbox.open(dir)
    const format = await formatOf(dataDir)
    return {
      // What confines children, and whether that is enough for `--sandbox`.
      sandbox: { holds, isEnough: isolates || sandbox !== 'required' },
      duckDbMissing: missing(),
      dataDir: resolve(dataDir),
      freeBytes: await freeBytesAt(dataDir).catch(() => null),
      storeUrl,
      format: format ?? 'not numbered yet',
      // Whether this version opens such a directory.
      isFormatKnown: format === null || format === formatNow,
      datasetCount: (await readdir(join(dataDir, 'datasets')).catch(() => [])).length,
      // The process that has the directory, or was killed while it had it.
      owner: await readFile(join(dataDir, 'lock.owner'), 'utf8').catch(() => null),
    }
  } finally {
    await rm(dir, { recursive: true })
  }
}

function missing(): string | null {
  try {
    requireBinding()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

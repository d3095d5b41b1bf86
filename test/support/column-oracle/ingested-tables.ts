// Ingested tables: ingests tables in this process as the service does, without HTTP or syncs. Knows no oracle.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createColumnConverter } from '../../../src/columns/column-converter.ts'
import type { Converter } from '../../../src/columns/converter.ts'
import { csvText } from '../../../src/columns/writer/columns.testing.ts'
import { createHeadReader } from '../../../src/reading/head-reader.ts'
import { readHead } from '../../../src/reading/read-head.ts'
import { createFileScanner } from '../../../src/reading/scanner/file-scanner.ts'
import { withTrailingEmpty } from '../../../src/reading/scanner/trailing-empty.ts'
import { createScanner } from '../../../src/reading/scanner/wasm-scanner.ts'
import { type IngestResult, ingest } from '../../../src/service/ingest/ingest.ts'
import type { IngestTools } from '../../../src/service/ingest/segment-source.ts'
import { unwatched } from '../../../src/service/ingest/upload-progress.ts'
import type { TriedTable } from './tried-tables.ts'

const chunkBytes = 262_144
const never = new AbortController().signal

/** The dialect of a table, as a client declares it. */
function dialectOf({ delimiter, quote: quoteChar }: TriedTable['layout']) {
  const usual = { doubleQuote: true, headerRows: [1], commentChar: null, skipInitialSpace: false, encoding: 'utf-8' }
  return { ...usual, delimiter, quoteChar }
}

/** The file as uploaded. */
function contentOf({ body, layout }: TriedTable, names: readonly string[]): Buffer {
  return Buffer.from(csvText([names], layout) + body)
}

/** Ingests one table after another; the results of each stay in its directory. */
export class Ingester {
  readonly #converter: Converter
  readonly #tools: IngestTools

  constructor() {
    const pool = { jobMsMax: 60_000, size: 1, logger: { warn() {} } }
    const createFiles = withTrailingEmpty(createFileScanner(createScanner))
    this.#converter = createColumnConverter(pool)
    this.#tools = {
      readHead: createHeadReader(readHead, createFiles),
      createScanner: createFiles,
      converter: this.#converter,
      segmentBytes: 16_777_216,
      recordBytesMax: 16_777_216,
      segmentsMax: 3,
    }
  }

  /** @param dir Created; must not exist. */
  async ingest(table: TriedTable, names: readonly string[], dir: string): Promise<IngestResult> {
    const content = contentOf(table, names)
    const textPath = join(dir, 'original')
    mkdirSync(join(dir, 'data'), { recursive: true })
    writeFileSync(textPath, content)
    const draft = { dir, folder: async (name: string) => folderIn(dir, name), grew() {}, finished() {} }
    const declared = { dialect: dialectOf(table.layout), schema: null }
    const arriving = { chunks: chunksOf(content), textPath, flush: async () => {}, isDuplicate: () => false }
    const source = { ...arriving, draft, declared, progress: unwatched, corrections: null }
    const loaded = await ingest(source, this.#tools, never)
    if (loaded === null) throw new Error('Cannot ingest table: it counts as a duplicate')
    rmSync(textPath)
    return loaded
  }

  close(): Promise<void> {
    return this.#converter.close()
  }
}

function folderIn(dir: string, name: string): string {
  const path = join(dir, name)
  mkdirSync(path, { recursive: true })
  return path
}

async function* chunksOf(content: Buffer) {
  for (let at = 0; at < content.length; at += chunkBytes) yield [content.subarray(at, at + chunkBytes)]
}

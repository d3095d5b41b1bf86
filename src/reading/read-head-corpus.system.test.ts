// Tests of the head on corpora: files whose dialect is known, kept beside the checkout if there are any.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isServiceError } from '../core/errors.ts'
import { decodeHead, detectEncoding } from './encoding/detect-encoding.ts'
import { readHead } from './read-head.ts'
import { headBytesMax } from './reading.ts'

const corpora = new URL('../../../shared/corpora/', import.meta.url)

interface Truth {
  readonly delimiter: string
  readonly quotechar: string
  readonly escapechar: string
  readonly header_lines: number
  readonly preamble_lines: number
  readonly n_columns: number
}

test('readHead() finds the dialect, header and width of the polluted twin', (t) => {
  const twin = new URL('twin/polluted_files/', corpora)
  if (!existsSync(twin)) return t.skip('the corpus is not here')
  const wrong: string[] = []
  const names = readdirSync(new URL('csv/', twin))
  for (const name of names) {
    const bytes = readFileSync(new URL(`csv/${name}`, twin))
    if (bytes.length === 0) continue
    const truth = JSON.parse(readFileSync(new URL(`parameters/${name}_parameters.json`, twin), 'utf8')) as Truth
    const { dialect, before, width } = readHead(bytes, true)
    const delimiter = dialect.skipInitialSpace ? `${dialect.delimiter} ` : dialect.delimiter
    const quoteMark = dialect.escapeChar ?? (dialect.doubleQuote ? dialect.quoteChar : '')
    const seen = [delimiter, dialect.quoteChar, quoteMark, before.header, before.skipped, width]
    const { header_lines, preamble_lines, n_columns, quotechar, escapechar } = truth
    const wanted = [truth.delimiter, quotechar, escapechar, header_lines, preamble_lines, n_columns]
    if (seen.join('\0') !== wanted.join('\0'))
      wrong.push(`${name}: ${JSON.stringify(seen)}, expected ${JSON.stringify(wanted)}`)
  }
  assert.ok(wrong.length <= names.length * 0.01, wrong.join('\n'))
})

test('readHead() reads every published file, or refuses it and says why', (t) => {
  const folders = ['real/', 'duckdb-csv/files/', 'csvw/tests/', 'csv-spectrum/csvs/', 'encodings/in/']
  if (!folders.every((folder) => existsSync(new URL(folder, corpora)))) return t.skip('the corpus is not here')
  for (const folder of folders) {
    for (const name of readdirSync(new URL(folder, corpora), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(csv|tsv)$/.test(name)) continue
      const bytes = readFileSync(new URL(folder + name.split('/').map(encodeURIComponent).join('/'), corpora))
      try {
        const { names, width, before, encoding } = readHead(
          bytes.subarray(0, headBytesMax),
          bytes.length <= headBytesMax,
        )
        assert.equal(names.length, width, name)
        assert.equal(new Set(names.map((column) => column.toLowerCase())).size, width, name)
        assert.ok(before.bytes <= bytes.length, name)
        // Data begin right after a line end (0x15 and 0x25 in EBCDIC), after the mark, or nowhere.
        const isAtLine = [0x0a, 0x0d, 0x00, 0x15, 0x25].includes(bytes[before.bytes - 1] ?? 0)
        assert.ok(isAtLine || before.bytes === bytes.length || (encoding.bom && before.lines === 0), name)
      } catch (error) {
        assert.ok(
          isServiceError(error, 'NOT_CSV') || isServiceError(error, 'NOT_READABLE'),
          `${name}: ${String(error)}`,
        )
      }
    }
  }
})

test('findEncoding() decodes the samples cleanly, or refuses', (t) => {
  const folder = new URL('encodings/', corpora)
  if (!existsSync(folder)) return t.skip('the corpus is not here')
  const samples = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Record<string, string>[]
  for (const { file = '', clean, class: kind } of samples) {
    if (!clean) continue
    const bytes = readFileSync(new URL(file, folder))
    const wanted = readFileSync(new URL(clean, folder), 'utf8')
    try {
      assert.equal(decodeHead(bytes, detectEncoding(bytes).encoding), wanted, file)
    } catch (error) {
      if (kind !== 'error-or-right' || !isServiceError(error, 'NOT_READABLE')) throw error
    }
  }
})

// Many datasets: fills a data directory with any number of datasets that have only a receipt.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Receipt } from '../src/core/receipt.ts'
import { formatReceipt } from '../src/store/receipt-file.ts'

/** The id of the dataset with a number. */
export function idOf(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex').slice(0, 32)
}

/** A receipt with only what a list shows. */
function receiptOf(number: number): Receipt {
  return {
    id: idOf(number),
    file: { name: `measured on day ${number}.csv`, bytes: 4, sha256: idOf(-number).repeat(2), contentType: 'text/csv' },
    encoding: { name: 'utf-8', bom: false },
    dialect: {
      delimiter: ',',
      quoteChar: '"',
      doubleQuote: true,
      escapeChar: null,
      lineTerminator: '\n',
      header: true,
      skipRows: 0,
      commentChar: null,
      skipInitialSpace: false,
    },
    records: { total: 2, header: 1, blank: 0, skipped: 0, accepted: 1, rejected: 0 },
    columns: [{ name: 'a', type: 'integer', nulls: 0, why: 'all 1 values are integers' }],
    rejects: { count: 0, reasons: {}, first: [], parts: [] },
    parts: [],
    checksums: null,
    body: { byteOffset: 2, lines: 1, records: 1, headerFields: ['a'], recordBytesMax: 16_777_216 },
    evidence: {
      encoding: 'made up',
      dialect: { code: 'best', delimiter: ',', width: 1, fitting: 0, records: 0 },
      header: { code: 'empty', typed: 0, unlike: 0, like: 0, isUncertain: false, lines: [] },
    },
    notes: [],
    createdAt: 1_700_000_000_000 + number,
    owner: '',
  }
}

/** Creates those of `count` datasets that are missing. They are kept between runs: a million take minutes and 8 GB. */
export function makeDatasets(dataDir: string, count: number): void {
  const donePath = join(dataDir, `made-${count}`)
  if (existsSync(donePath)) return
  const dir = join(dataDir, 'datasets')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const made = new Set(readdirSync(dir))
  for (let number = 0; number < count; number++) {
    const receipt = receiptOf(number)
    const path = join(dir, receipt.id)
    if (!made.has(receipt.id)) mkdirSync(path, { mode: 0o700 })
    if (!made.has(receipt.id) || !existsSync(join(path, 'receipt.json'))) {
      writeFileSync(join(path, 'receipt.json'), formatReceipt(receipt), { mode: 0o600 })
    }
  }
  writeFileSync(donePath, '')
}

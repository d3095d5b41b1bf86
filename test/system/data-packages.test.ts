// Tests of data packages: frictionless finds every table valid, of files made here and of those of the corpora.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pythonTools, run } from '../support/client-generators.ts'
import { ownService } from '../support/shared-service.ts'

const { client, dir } = await ownService()
const tools = await pythonTools('frictionless', ['frictionless==5.21.0'])
const skip = 'missing' in tools ? { skip: tools.missing } : {}
const real = new URL('../../../shared/corpora/real/', import.meta.url).pathname

/** Files that are refused, or in which blanks alone are null words: a schema cannot say how many there are. */
const leftOut = ['implicit-zip.csv', 'nfl-suspensions-data.csv']

const files: Readonly<Record<string, string | Uint8Array>> = {
  'padded.csv': 'id,n\n007,1\n008,2\n',
  'short.csv': 'id,n\n7,1\n8\n9,2\n',
  'grouped.csv': 'n,d\n"1,234",1\n"12,345",2\n999,3\n',
  'commas.csv': 'd;e\n1.234,56;0,1\n2,50;0,25\n3,00;7\n',
  'nulls.csv': 'n,t\n1,a\nN/A,b\n,c\n3,d\n',
  'dates.csv': 'd,t,u\n31.12.2024,2024-01-01T10:00:00Z,10:00\n01.02.2024,2024-01-02 10:00:00.5Z,11:00:30\n',
  'unnamed.csv': ',b,b\n1,2,3\n4,5,6\n',
  'no-header.csv': '1,2.5\n3,4.5\n',
  'titles.csv': 'Report of May\n\nid;name\n1;Ada\n2;Grace\n',
  'decimals.csv': 'd\n12345678901234567890.1234567890\n0.0000000001\n',
  'utf-16.csv': Buffer.from('\ufeffname,n\nJosé,1\nÉva,2\n', 'utf16le'),
  'compressed.csv.gz': gzipSync('a,b\n1,x\n2,"y\nz"\n'),
}

const validate = `
import sys
from frictionless import Package
for path in sys.argv[1:]:
    report = Package(path).validate()
    for error in report.flatten(['type', 'note', 'rowNumber', 'fieldName'])[:3]: print(path, error)
`

test('every data package is valid for frictionless', skip, async (t) => {
  if ('missing' in tools) return
  const names = existsSync(real) ? await readdir(real, { recursive: true }) : []
  if (names.length === 0) t.diagnostic('the corpora are not beside the checkout')
  const corpus = names.filter((name) => name.endsWith('.csv') && !leftOut.some((one) => name.endsWith(one)))
  const packages: string[] = []
  const contents = Object.entries(files).map(([name, content]) => ({ name, read: async () => Buffer.from(content) }))
  const corpora = corpus.map((name) => ({ name, read: () => readFile(join(real, name)) }))
  for (const [i, { name, read }] of [...contents, ...corpora].entries()) {
    const { id } = await client.upload({ content: await read(), fileName: name.split('/').at(-1)! })
    const packageDir = join(dir, `${i}-${name.replaceAll('/', '-')}`)
    await mkdir(packageDir)
    for (const file of ['datapackage.json', 'data.csv', 'original'])
      await writeFile(join(packageDir, file), await client.get(`/qas/datasets/${id}/${file}`))
    packages.push(join(packageDir, 'datapackage.json'))
  }
  t.diagnostic(`${packages.length} packages`)
  assert.equal(await run(join(tools.dir, 'bin/python'), ['-c', validate, ...packages], dir), '')
})

// Tests of the version of the reading: whatever changes the outcome of an upload must raise it, since the same bytes sent
// again find the dataset of before.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { examples } from '../../src/columns/writer/value-examples.testing.ts'
import { Client, type FileToSend } from '../support/client.ts'
import { createRandom, randomCsv } from '../support/samples.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)
const source = join(import.meta.dirname, '../../src/service/upload/dataset-id.ts')
const history = join(import.meta.dirname, 'reading-versions.json')

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
/** A column for each class of values. */
const classes = Object.entries(examples)
const classTable = [
  classes.map(([name]) => quoted(name)).join(),
  ...Array.from({ length: 40 }, (_, i) => classes.map(([, of]) => quoted(of[i % of.length]!)).join()),
].join('\n')
/** Few texts, with and without quotes of their own. */
const few = ['q', '"q"', '"""q"""', '', '""', '""""', '""""""', 'NULL', '"NULL"', '"""NULL"""', ' x', '"a\nb"', '"c,d"']
const fewTable = ['a,b', ...Array.from({ length: 3_000 }, (_, i) => `${few[i % 13]},${few[(i * 7) % 11]}`)].join('\n')
const fields = [
  { name: 'n', type: 'number', decimalChar: ',', groupChar: '.' },
  { name: 'm', type: 'number' },
  { name: 'i', type: 'integer', constraints: { maximum: 3 } },
  { name: 'b', type: 'boolean', trueValues: ['ja'], falseValues: ['nein'] },
  { name: 'd', type: 'datetime', format: '%d.%m.%y %H:%M' },
  { name: 's', type: 'string', missingValues: ['-'] },
]

const files: readonly FileToSend[] = [
  { content: classTable },
  { content: fewTable },
  { content: fewTable.replaceAll('"', "'"), dialect: { quoteChar: "'" } },
  { content: fewTable.replaceAll('\n', '\r\n').replaceAll(',', ';') },
  { content: gzipSync(classTable) },
  { content: Buffer.from('\ufeffa;b\r\n1,5;ä\r\n2;"x"\r\n3;c;d\r\n', 'utf16le') },
  { content: Buffer.from('name\tort\nJörg\tK\xf6ln\nAn"na\tUlm\n', 'latin1') },
  { content: '# note\na|b\n1|"x\\"y"\n2|z\n#3|4\n', dialect: { escapeChar: '\\', commentChar: '#' } },
  { content: 'Report\n\nid,when,amount\n1,31/12/2020,"1,234.50"\n2,01/02/2021,7.25\n,,\n' },
  { content: '1\n2\n\n3', dialect: { header: false } },
  {
    content: 'n;m;i;b;d;s\n1.234,5;1;1;ja;1.2.24 10:00;-\n7;12345678901234567890.5;4;nein;2.3.99 1:2;""\n0,1;;3;;;x\n',
    schema: { fields },
  },
  ...Array.from({ length: 12 }, (_, i) => ({ content: randomCsv(createRandom(i + 1)) })),
]

function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** What a file has become: what parts consist of and how it is explained do not count. */
async function outcomeOf(file: FileToSend): Promise<unknown> {
  const answer = await client.send(file)
  if (answer.status !== 200) return answer.status
  const receipt = await client.upload(file)
  const columns = receipt.columns.map(({ why: _, ...column }) => column)
  const { encoding, dialect, records, links } = receipt
  const rejects = (await client.allRejects(receipt)).map(({ message: _, ...reject }) => reject)
  const values = [
    await client.get(links.ndjson),
    await client.get(`${links.csv}?typed=true`),
    await client.get(links.csv),
  ]
  return { encoding: encoding.name, dialect, records, columns, rejects, values: values.map(sha256) }
}

test('the version of the reading is raised whenever a reading gives something else', async () => {
  const outcomes: unknown[] = []
  for (const file of files) outcomes.push(await outcomeOf(file))
  const digest = sha256(JSON.stringify(outcomes))
  const version = Number(/^const readingVersion = (\d+)$/m.exec(readFileSync(source, 'utf8'))?.[1])
  const known: readonly { readonly version: number; readonly digest: string }[] = JSON.parse(
    readFileSync(history, 'utf8'),
  )
  const last = known.at(-1)
  assert.deepEqual(
    last,
    { version, digest },
    `The outcomes of test/reading/reading-version.test.ts have changed. If a released version reads these files in another ` +
      `way, raise readingVersion in src/service/upload/dataset-id.ts, so that the same bytes sent again are read anew, and ` +
      `append {"version": ${(last?.version ?? 0) + 1}, "digest": "${digest}"} to test/reading/reading-versions.json. ` +
      'If the version was already raised since the last release, replace the last digest there.',
  )
  assert.deepEqual(
    known.map((one) => one.version),
    known.map((_, i) => i + known[0]!.version),
  )
})

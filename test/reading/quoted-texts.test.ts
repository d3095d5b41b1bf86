// Tests of quoted texts: a text with quotes of its own comes out as it went in, beside the same text without them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'

const client = new Client((await sharedService()).url)

interface Form {
  readonly name: string
  readonly dialect?: object
  readonly quote: string
  /** A text as it stands between quotes. */
  escaped(text: string): string
}

const forms: readonly Form[] = [
  { name: 'doubled quotes', quote: '"', escaped: (text) => text.replaceAll('"', '""') },
  {
    name: 'single quotes',
    dialect: { quoteChar: "'" },
    quote: "'",
    escaped: (text) => text.replaceAll("'", "''"),
  },
  {
    name: 'escaped quotes',
    dialect: { doubleQuote: false, escapeChar: '\\' },
    quote: '"',
    escaped: (text) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"'),
  },
]

for (const { name, dialect, quote, escaped } of forms) {
  test(`texts keep their own quotes in a column of few texts, with ${name}`, async () => {
    const quoted = (text: string) => `${quote}${escaped(text)}${quote}`
    const own = (text: string) => `${quote}${text}${quote}`
    const long = 'a text of more than sixteen bytes'
    // Unquoted, quoted, and with quotes that belong to the text; an empty field is null, quoted it is an empty text.
    const fields: readonly (readonly [string, string | null])[] = ['q', 'NULL', '12', long].flatMap((text) => [
      [text, text] as const,
      [quoted(text), text] as const,
      [quoted(own(text)), own(text)] as const,
      [quoted(own(own(text))), own(own(text))] as const,
    ])
    const others = [
      ['', null],
      [quoted(''), ''],
      [quoted(own('')), own('')],
      [quoted(quote), quote],
      [quoted(`${quote}q`), `${quote}q`],
      ['Acme', 'Acme'],
    ] as const
    const cells = [...others, ...fields]
    const records = Array.from({ length: 40 }, (_, round) => (round % 2 === 0 ? cells : cells.toReversed())).flat()
    const wanted = records.map(([, text]) => text)
    const content = `name,n\n${records.map(([field], i) => `${field},${i}\n`).join('')}`
    const receipt = await client.upload({ content, ...(dialect && { dialect }) })
    const rows = await client.allRows(receipt, 'name')
    assert.deepEqual(rows.flat(), wanted)
    const lines = (await client.get(`/qas/datasets/${receipt.id}/data.ndjson`)).toString().trimEnd().split('\n')
    const names = lines.map((line) => (JSON.parse(line) as { name: string | null }).name)
    assert.deepEqual(names, wanted)
  })
}

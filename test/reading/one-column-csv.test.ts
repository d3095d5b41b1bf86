// Tests of CSV of one column: no record is a line that readers skip, in any export.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { Client } from '../support/client.ts'
import { ask as queryAt } from '../support/queries.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)

const oneColumn = {
  integer: 'a\n1\n""\n3\n""\n',
  'decimal(9,2)': 'a\nNA\n1.25\n""\n3.50\n',
  date: 'a\n2024-02-29\n""\n""\n',
  timestamptz: 'a\n2024-02-29T01:02:03Z\nNULL\n',
  boolean: 'a\ntrue\n""\nfalse\n',
  text: 'a\nx\n""\n   \n""\n"\n"\n\ty\n',
}
for (const [type, content] of Object.entries(oneColumn)) {
  test(`a ${type} column alone is exported without lines that readers skip`, async () => {
    const uploaded = await client.upload(content)
    assert.deepEqual([uploaded.columns[0]?.type, uploaded.records.rejected], [type, 0])
    const paths = ['', '?typed=true', '?typed=true&delimiter=tab', '?spreadsheet=true'].map(
      (options) => uploaded.links.csv + options,
    )
    const texts = await Promise.all(paths.map((path) => client.get(path)))
    texts.push(Buffer.from((await queryAt(service.url, uploaded.id, 'FROM data', 'text/csv')).text))
    for (const [i, text] of texts.entries()) {
      const wanted = uploaded.records.accepted + 1
      const read = parse(text, { skip_empty_lines: true, relax_column_count: true })
      assert.equal(read.length, wanted, `${i}: ${text}`)
      const again = await client.upload({ content: text, dialect: { header: true } })
      assert.deepEqual([again.records.blank, again.records.accepted], [0, wanted - 1], `${i}: ${text}`)
      // A null between texts cannot be told from an empty text, nor blanks alone from nothing in the text of a file.
      if (type !== 'text') assert.deepEqual(await client.allRows(again), await client.allRows(uploaded), `${i}`)
    }
  })
}

test('a lone column without a name has a header that readers do not skip', async () => {
  const { links } = await client.upload({ content: '""\nx\ny\n', dialect: { header: true } })
  for (const options of ['', '?spreadsheet=true', '?delimiter=;']) {
    assert.equal((await client.get(links.csv + options)).toString(), '""\nx\ny\n', options)
  }
})

test('data.csv?typed of a column of texts has the nulls of a schema and empty texts', async () => {
  const schema = { fields: [{ name: 'a', type: 'string', missingValues: ['NULL'] }] }
  const { links } = await client.upload({ content: 'a\nx\nNULL\n""\n', schema })
  assert.equal((await client.get(`${links.csv}?typed=true`)).toString(), 'a\n"x"\n""\n""\n')
})

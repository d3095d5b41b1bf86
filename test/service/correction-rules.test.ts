// Tests of correction rules: one mend for all rejects of a cause, in files of all kinds; what no rule mends stays a reject.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CorrectionRule } from '../../src/core/correction-rules.ts'
import type { CorrectionOutcome } from '../../src/core/responses.ts'
import type { correctionJson } from '../../src/http/exchange/receipt-json.ts'
import { Client, type FileToSend, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

type CorrectionResponse = UploadResponse & ReturnType<typeof correctionJson>

const service = await sharedService()
const client = new Client(service.url)

type Line = CorrectionRule | { readonly record: number; readonly text: string }

async function post({ id }: { readonly id: string }, lines: readonly unknown[], below = '') {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const headers = { 'content-type': 'application/x-ndjson' }
  return await client.ask('POST', `/qas/datasets/${id}/corrections${below}`, Buffer.from(body), headers)
}

/** The corrected dataset, once a preview of the same has told the same and stored nothing. */
async function mend(dataset: UploadResponse, lines: readonly Line[]): Promise<CorrectionResponse> {
  const before = await client.datasetIds()
  const preview = await post(dataset, lines, '/preview')
  assert.equal(preview.status, 200, preview.body.toString())
  assert.deepEqual(await client.datasetIds(), before)
  const answer = await post(dataset, lines)
  assert.equal(answer.status, 200, answer.body.toString())
  const corrected = jsonOf<CorrectionResponse>(answer)
  assert.deepEqual(jsonOf<CorrectionOutcome>(preview), corrected.corrected)
  await assertVerified(join(service.dataDir, 'datasets', corrected.id))
  assert.equal(
    (await client.get(`${dataset.links.self}/original`)).toString('base64'),
    (await client.get(`${corrected.links.self}/original`)).toString('base64'),
  )
  return corrected
}

async function mended(file: string | FileToSend, ...lines: readonly Line[]) {
  const corrected = await mend(await client.upload(file), lines)
  const counts = (corrected.corrected.rules ?? []).map(({ records, mended, earlier }) => [records, mended, earlier])
  const left = (await client.allRejects(corrected)).map(({ record }) => record)
  return { csv: (await client.get(corrected.links.csv)).toString().split('\n').slice(1, -1), counts, left, corrected }
}

const reasonsOf = async (file: string | FileToSend) =>
  (await client.allRejects(await client.upload(file))).map(({ record, reason }) => `${record} ${reason}`)

test('append adds the missing fields, and a preview shows the first records before and after', async () => {
  const { csv, counts, left, corrected } = await mended('a,b,c\n1,2,3\n4,5\n6\n7,8,9\n"x,y\n', {
    reason: 'too_few_fields',
    mend: 'append',
  })
  assert.deepEqual(csv, ['1,2,3', '4,5,', '6,,', '7,8,9'])
  assert.deepEqual([counts, left], [[[2, 2, 0]], [6]])
  assert.deepEqual(corrected.corrected.rules?.[0]?.left, [])
  assert.deepEqual(corrected.corrected.rules?.[0]?.first, [
    { record: 3, line: 3, text: '4,5', correctedText: '4,5,' },
    { record: 4, line: 4, text: '6', correctedText: '6,,' },
  ])
  assert.deepEqual([corrected.corrected.sent, corrected.corrections?.count], [2, 2])
})

test('a rule gives the same dataset as the texts that it makes', async () => {
  const dataset = await client.upload('a,b\n1,2\n3\n5,6\n')
  const byRule = await mend(dataset, [{ reason: 'too_few_fields', mend: 'append' }])
  const byText = jsonOf<CorrectionResponse>(await post(dataset, [{ record: 3, text: '3,' }]))
  assert.deepEqual([byText.id, byText.duplicate], [byRule.id, true])
})

test('drop takes surplus fields only if they are empty', async () => {
  const file = 'a,b\n1,2\n3,4,"",\n5,6,x\n7,8\n'
  assert.deepEqual(await reasonsOf(file), ['3 too_many_fields', '4 too_many_fields'])
  const { csv, counts, left, corrected } = await mended(file, { reason: 'too_many_fields', mend: 'drop' })
  assert.deepEqual([csv, counts, left], [['1,2', '3,4', '7,8'], [[2, 1, 0]], [4]])
  assert.deepEqual(corrected.corrected.rules?.[0]?.left, [4])
})

test('quote closes an open quote where the other columns follow', async () => {
  const file = 'id,name,city\n1,"Ada, A",x\n2,Kurt,"Brno\n3,Al,z\n4,"Smith, John,York\n5,Jo,z\n6,"a\n'
  const { csv, counts, left } = await mended(file, { reason: 'unclosed_quote', mend: 'quote' })
  assert.deepEqual(csv, ['1,"Ada, A",x', '2,Kurt,"Brno"', '3,Al,z', '4,"Smith, John",York', '5,Jo,z'])
  assert.deepEqual([counts, left], [[[3, 2, 0]], [7]])
})

test('join takes the line after it, which stays listed and is not mended as well, even later', async () => {
  const file = 'id,name,city\n1,Ada,x\n2,Main\nStreet,Brno\n3,b\n4,c,d\n'
  const rules = [
    { reason: 'too_few_fields', mend: 'join' },
    { reason: 'too_few_fields', mend: 'append' },
  ] as const
  const { csv, counts, left, corrected } = await mended(file, ...rules)
  assert.deepEqual(csv, ['1,Ada,x', '2,Main Street,Brno', '3,b,', '4,c,d'])
  assert.deepEqual(
    [counts, left],
    [
      [
        [3, 1, 1],
        [3, 1, 2],
      ],
      [4],
    ],
  )
  const again = await mend(corrected, [rules[1]])
  assert.deepEqual([again.id, again.corrected.rules?.[0]?.earlier], [corrected.id, 1])
})

test('null is a word that the schema reads as null, and mends nothing where none is', async () => {
  const csv = 'a,b\n1,xx\n2,toolong\n3,NA\n'
  const fields = [
    { name: 'a', type: 'integer' },
    { name: 'b', type: 'string', constraints: { maxLength: 3 } },
  ]
  for (const [missingValues, row, count] of [
    [['NA'], [2, null], 1],
    [['', 'NA'], [2, null], 1],
    [[], null, 0],
  ] as const) {
    const file = { content: csv, schema: { missingValues, fields } }
    const { counts, corrected } = await mended(file, { reason: 'constraint', mend: 'null' })
    assert.deepEqual(counts, [[1, count, 0]])
    assert.deepEqual((await client.allRows(corrected)).find(([first]) => first === 2) ?? null, row)
  }
})

test('a line is taken for joined only by a text that begins with the reject before it and ends with the line', async () => {
  const append = { reason: 'too_few_fields', mend: 'append' } as const
  const joined = { record: 3, text: '4,hello world,6' }
  const one = await mended('a,b,c\n1,2,3\n4,hello\nworld,6\n6,7,8\n9,10,11\n', joined, append)
  assert.deepEqual([one.csv, one.left], [['1,2,3', '4,hello world,6', '6,7,8', '9,10,11'], [4]])
  const schema = { fields: [{ name: 'code', type: 'string', constraints: { pattern: 'A[0-9]+|ok' } }] }
  const file = { content: 'code\nok\n7\n7\n7\n7\nok\n', schema }
  const { csv, counts } = await mended(file, { reason: 'constraint', mend: 'replace', text: '7', with: 'A7' })
  assert.deepEqual([csv, counts], [['ok', 'A7', 'A7', 'A7', 'A7', 'ok'], [[4, 4, 0]]])
})

test('a row without a text leaves its record to the rules', async () => {
  const { csv } = await mended('a,b,c\n1,2,3\n4,5\n6,7,8\n', { record: 3 } as Line, {
    reason: 'too_few_fields',
    mend: 'append',
  })
  assert.deepEqual(csv, ['1,2,3', '4,5,', '6,7,8'])
})

test('join leaves a line alone that is a row, or has a text of its own', async () => {
  const file = 'id,name,city\n0,Ada,x\n1,Main\nStreet,Brno\n2,b\n3,c,d\n'
  const { csv, left } = await mended(
    file,
    { record: 4, text: 'Street,Brno,x' },
    { reason: 'too_few_fields', mend: 'join' },
  )
  assert.deepEqual(
    [csv, left],
    [
      ['0,Ada,x', 'Street,Brno,x', '3,c,d'],
      [3, 5],
    ],
  )
})

const schema = {
  fields: [
    { name: 'id', type: 'integer' },
    { name: 'amount', type: 'number' },
    { name: 'note', type: 'string', constraints: { maxLength: 9 } },
  ],
}
const typed = 'id,amount,note\n1,1.5,a\n2,k.A.,b\n3,"1 2",c\n4,x,d\nfive,5,e\n6,6,a long note\n'

test('values are mended in the column of the cause, and checked against the schema again', async () => {
  assert.deepEqual(
    await reasonsOf({ content: typed, schema }),
    [3, 4, 5, 6, 7].map((record) => `${record} constraint`),
  )
  const { csv, counts, left, corrected } = await mended(
    { content: typed, schema },
    { reason: 'constraint', column: 'amount', mend: 'replace', text: 'k.A.', with: '', whole: true },
    { reason: 'constraint', column: 'amount', mend: 'replace', text: ' ', with: '' },
    { reason: 'constraint', column: 'id', mend: 'trim' },
    { reason: 'constraint', column: 'note', mend: 'replace', text: 'long', with: 'very "long", $& very' },
  )
  assert.deepEqual(csv, ['1,1.5,a', '2,,b', '3,"12",c'])
  // The last one is a record, but its note is still too long.
  assert.deepEqual(
    [counts, left],
    [
      [
        [3, 1, 0],
        [3, 1, 1],
        [1, 0, 0],
        [1, 0, 0],
      ],
      [5, 6, 7],
    ],
  )
  assert.deepEqual([corrected.corrected.sent, corrected.corrected.refused], [3, 1])
  assert.deepEqual(
    corrected.corrected.firstRefused.map(({ record, reason }) => [record, reason]),
    [[7, 'constraint']],
  )
})

test('a value is read as null, or trimmed', async () => {
  const content = 'id,amount,note\n1,1.5,a\n2,k.A.,b\n3,"\u00a07",c\n'
  const { csv, counts } = await mended(
    { content, schema },
    { reason: 'constraint', mend: 'trim' },
    { reason: 'constraint', column: 'amount', mend: 'null' },
  )
  assert.deepEqual(
    [csv, counts],
    [
      ['1,1.5,a', '2,,b', '3,"7",c'],
      [
        [2, 1, 0],
        [2, 1, 1],
      ],
    ],
  )
})

test('the first rule that mends a record wins, and so does a text; leave keeps it for good', async () => {
  const file = 'a,b\n1,2\n3\n4\n5,6,7\n'
  const { csv, counts, left } = await mended(
    file,
    { reason: 'too_few_fields', mend: 'join', with: ',' },
    { record: 5, text: '5,6' },
    { reason: 'too_many_fields', mend: 'leave' },
    { reason: 'too_many_fields', mend: 'drop' },
    { reason: 'too_few_fields', mend: 'leave' },
    { reason: 'too_few_fields', mend: 'append' },
    { reason: 'nul_byte', mend: 'append' },
  )
  assert.deepEqual([csv, left], [['1,2', '3,4', '5,6'], [4]])
  assert.deepEqual(counts, [
    [2, 1, 1],
    [1, 0, 1],
    [1, 0, 1],
    [2, 0, 2],
    [2, 0, 2],
    [0, 0, 0],
  ])
})

test('rules that mend nothing give the same dataset', async () => {
  const dataset = await client.upload('a,b\n1,2\n3\n')
  const same = await mend(dataset, [{ reason: 'unclosed_quote', mend: 'quote' }])
  assert.deepEqual([same.id, same.duplicate, same.corrected.sent], [dataset.id, true, 0])
})

test('bytes that are no text are only mended if all of them are replaced', async () => {
  const content = Buffer.from('\xef\xbb\xbfa,b\n1,2\n3,x\xff\n4,\xfe\n\xff,6\n5,\xc3\xa9\n', 'latin1')
  assert.deepEqual(await reasonsOf({ content }), ['3 invalid_bytes', '4 invalid_bytes', '5 invalid_bytes'])
  const { csv, counts, left } = await mended(
    { content },
    { reason: 'invalid_bytes', column: 'b', mend: 'replace', text: 'x', with: 'y' },
    { reason: 'invalid_bytes', column: 'b', mend: 'replace', text: '\ufffd', with: '?' },
  )
  assert.deepEqual([csv, left], [['1,2', '3,x?', '4,?', '5,é'], [5]])
  assert.deepEqual(counts, [
    [2, 0, 0],
    [2, 2, 0],
  ])
})

test('a preview names texts for records that are no rejects, or in another place; correcting refuses them all', async () => {
  const dataset = await client.upload('a,b\n1,2\n3\n4\n')
  const lines = [
    { record: 2, text: '1,3' },
    { record: 3, text: '3,', byteOffset: 9 },
    { record: 4, text: '4,', byteOffset: 10 },
  ]
  const { sent, refused, firstRefused } = jsonOf<CorrectionOutcome>(await post(dataset, lines, '/preview'))
  assert.deepEqual([sent, refused], [3, 2])
  assert.deepEqual(
    firstRefused.map(({ record, reason }) => [record, reason]),
    [
      [2, 'no_reject'],
      [3, 'no_reject'],
    ],
  )
  assert.match(refusalOf(await post(dataset, lines.slice(1))).message, /record 3 is not a reject of this dataset/)
  assert.equal((await post(dataset, lines.slice(2))).status, 200)
})

test('errors name the place of a rule', async () => {
  const dataset = await client.upload('a,b\n1,2\n3\n')
  const fits = { reason: 'too_few_fields', mend: 'append' }
  for (const [rule, message] of [
    [{ ...fits, reason: 'few' }, /the rule on line 2 has the reason "few", expected one of too_few_fields,/],
    [{ ...fits, reason: ['too_few_fields'] }, /the rule on line 2 has the reason \["too_few_fields"\]/],
    [{ mend: 'append' }, /the rule on line 2 has the reason undefined/],
    [{ ...fits, mend: null }, /the rule on line 2 has the mend null, expected one of append,/],
    [{ ...fits, column: 'c' }, /the rule on line 2 has the column "c", which the dataset does not have/],
    [{ ...fits, column: 1 }, /the rule on line 2 has the column 1, which/],
    [{ ...fits, where: 'here' }, /the rule on line 2 has an unknown member 'where'/],
    [{ ...fits, with: 'x' }, /the rule on line 2 has a member that append does not use/],
    [{ ...fits, mend: 'replace', text: 'x' }, /the rule on line 2 has no text or no 'with', which replace needs/],
    [{ ...fits, mend: 'replace', text: '', with: 'x' }, /the rule on line 2 has an empty text/],
    [{ ...fits, mend: 'replace', text: 1, with: 'x' }, /the rule on line 2 has a text that is not a string/],
    [{ ...fits, mend: 'replace', text: 'x', with: {} }, /the rule on line 2 has a 'with' that is not a string/],
    [{ ...fits, mend: 'replace', text: 'x', with: '', whole: 1 }, /has a 'whole' that is neither true nor false/],
  ] as const) {
    for (const below of ['', '/preview']) {
      const refusal = refusalOf(await post(dataset, [fits, rule], below))
      assert.deepEqual([refusal.status, refusal.exception], [400, 'csvupload.BadCorrectionsException'])
      assert.match(refusal.message, message)
    }
  }
  const many = await post(
    dataset,
    Array.from({ length: 101 }, () => fits),
  )
  assert.match(refusalOf(many).message, /more than 100 rules/)
})

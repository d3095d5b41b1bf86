// Tests of types that a sample of the first segment misses: the dataset is as if the whole segment had been read first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownService } from '../support/shared-service.ts'

const { client } = await ownService()

/** After the first sixteenth of the segment, before its middle. */
const oddAt = 5_000

/** 650 KB, with one different record. */
function fileWith(odd: string): string {
  const line = (i: number) => `${i},${i}.25,name ${i},2024-02-${10 + (i % 19)},${'x'.repeat(20)}`
  const lines = Array.from({ length: 11_000 }, (_, i) => (i === oddAt ? odd : line(i)))
  return `${['id,amount,name,day,rest', ...lines].join('\n')}\n`
}

const odds = {
  none: '5000,5.25,name,2024-02-10,x',
  'null words': 'NA,NULL,NA,,x',
  texts: 'five,5.25,name,today,x',
  'longer numbers': '12345678901234,12345678901.25,name,2024-02-10,x',
  'other numbers': '5000.5,5.125,7,2024-02-10,x',
  'a leading zero': '05000,5.25,name,2024-02-10,x',
  'another date': '5000,5.25,name,10/02/2024,x',
}

for (const [what, odd] of Object.entries(odds)) {
  test(`types are those of all values if the sample lacks ${what}`, async () => {
    const text = fileWith(odd)
    const sampled = await client.upload(text)
    // Decoded records are in a separate file and are not sampled.
    const whole = await client.upload(Buffer.from(`\ufeff${text}`, 'utf16le'))
    assert.deepEqual(sampled.columns, whole.columns)
    assert.deepEqual(sampled.parts, whole.parts)
    assert.equal(sampled.records.accepted, 11_000)
  })
}

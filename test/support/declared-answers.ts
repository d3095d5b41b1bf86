// Declared answers: uploads files of one declared column, and compares values and rejects with those written by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from './client.ts'
import { sharedService, smallSegments } from './shared-service.ts'

const client = new Client((await sharedService(smallSegments)).url)

interface Answer {
  readonly field: object
  /** Of the schema. */
  readonly missingValues?: readonly string[]
  /** The type of the column. */
  readonly column: string
  /** The reason of the type. Default: it is declared. */
  readonly why?: RegExp
  /** Texts as in the file, separated by ` · `, each with the value that rows show, if it is another: `007 → 7`. */
  readonly keeps: string
  /** By what the message says they violate, `…` for "beyond what the column can hold", or no such date: further texts, in their order. */
  readonly breaks?: Readonly<Record<string, string>>
}

/** A test for each answer, by what the page says. */
export function testResponses(answers: Readonly<Record<string, Answer>>): void {
  for (const [says, answer] of Object.entries(answers)) test(`the page on schemas says: ${says}`, () => check(answer))
}

async function check({ field, missingValues, column, why = /^declared/, keeps, breaks = {} }: Answer): Promise<void> {
  const kept = split(keeps).map((one) => one.split(' → '))
  const broken = Object.entries(breaks).flatMap(([rule, texts]) => split(texts).map((text) => ({ rule, text })))
  const texts = [...kept.map(([text]) => text), ...broken.map(({ text }) => text)]
  const content = `n,x\n${texts.map((text, i) => `r${i},${text}\n`).join('')}`
  const fields = [{ name: 'n' }, { name: 'x', ...field }]
  const receipt = await client.upload({ content, schema: { fields, ...(missingValues && { missingValues }) } })
  const rows = (await client.allRows(receipt)).map(([n, x]) => [n, String(x)])
  assert.deepEqual(
    rows,
    kept.map(([text, value], i) => [`r${i}`, value ?? text]),
  )
  assert.equal(receipt.columns[1]?.type, column)
  assert.match(receipt.columns[1].why, why)
  const rejects = await client.allRejects(receipt)
  assert.ok(rejects.every((one) => one.reason === 'constraint' && one.column === 2))
  assert.deepEqual(
    rejects.map(({ message }) => message),
    broken.map(messageOf),
  )
}

function split(texts: string): readonly string[] {
  return texts.split(' · ')
}

function messageOf({ rule, text }: { readonly rule: string; readonly text: string }): string {
  if (rule === 'required') return 'x: no value, required by the schema'
  const value = text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text
  return `x: ${JSON.stringify(value)} violates ${rule.replace(' …', rule.includes('%') ? ': it is no date that the column can hold' : ': it is beyond what the column can hold')}`
}

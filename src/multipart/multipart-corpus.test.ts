// Tests of the multipart reader on a corpus: bodies recorded from other parsers' tests, kept beside the checkout if there are any.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readMultipartType } from './content-type.ts'
import { parseOutcome } from './record-parts.testing.ts'

const corpus = new URL('../../../shared/corpora/multipart/cases.jsonl', import.meta.url)

interface Sample {
  readonly what: string
  readonly contentType: string
  readonly body: Buffer
  readonly expected: string
  readonly sha256: string | null
}

/** Allowed outcomes for each class of samples; a refusal is named by the problem in `parseOutcome`, or by the kind of the type. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  accept: ['taken'],
  'accept-basename-only': ['taken'],
  'accept-or-reject': ['taken', 'refused'],
  reject: ['refused'],
  'reject-no-file-part': ['refused'],
  'no-boundary': ['no-boundary'],
}

function readSamples(): Sample[] {
  const samples: Sample[] = []
  for (const line of readFileSync(corpus, 'utf8').trim().split('\n')) {
    // The corpus is a test's own input and its format is written down beside it.
    const sample = JSON.parse(line) as Record<string, string>
    for (const [kind, bytes] of [
      ['service', sample.body_b64],
      ['transplant', sample.transplant_b64],
    ] as const) {
      if (bytes === undefined) continue
      samples.push({
        what: `${sample.id} (${kind}): ${sample.what}`,
        contentType: sample.content_type ?? '',
        body: Buffer.from(bytes, 'base64'),
        expected: sample[`${kind}_expect`] ?? '',
        sha256: sample[`${kind}_data_sha256`] ?? null,
      })
    }
  }
  return samples
}

function outcome(sample: Sample, step: number): { kind: string; sha256?: string } {
  const type = readMultipartType(sample.contentType)
  if (type.kind !== 'multipart') return { kind: type.kind === 'bad' ? 'refused' : type.kind }
  const chunks: Buffer[] = []
  for (let at = 0; at < sample.body.length; at += step) chunks.push(sample.body.subarray(at, at + step))
  const verdict = parseOutcome(type.boundary, chunks)
  if ('refused' in verdict) return { kind: 'refused' }
  return { kind: 'taken', sha256: createHash('sha256').update(Buffer.from(verdict.file, 'latin1')).digest('hex') }
}

test('the multipart reader handles each body of the corpus as expected, in one chunk and in chunks of 7 bytes', (t) => {
  if (!existsSync(corpus)) {
    t.skip('no corpus beside the checkout')
    return
  }
  const samples = readSamples()
  for (const sample of samples) {
    for (const step of [1_048_576, 7]) {
      const actual = outcome(sample, step)
      assert.ok(
        allowed[sample.expected]?.includes(actual.kind),
        `${sample.what}: ${actual.kind}, not ${sample.expected}`,
      )
      if (sample.sha256 !== null && actual.sha256 !== undefined) assert.equal(actual.sha256, sample.sha256, sample.what)
    }
  }
  t.diagnostic(`${samples.length} bodies`)
})

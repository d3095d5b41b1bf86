// Tests of /metrics: its counts are right, and the dashboard shows only existing metrics.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { createInstruments } from '../../src/metrics/instruments.ts'
import { Client } from '../support/client.ts'
import { create, patch } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { refusal } from '../wire/head-tests.ts'
import { session, startService } from './session.ts'

const service = await startService()
after(() => service[Symbol.asyncDispose]())
const exchanges = await session(service.url)

test('the metrics count uploads, requests and their results', async () => {
  const figures = await scrape(service.url)
  const of = (name: string) => figures.get(`csv_upload_${name}`)

  assert.equal(of('uploads_total{kind="upload",outcome="accepted"}'), 4)
  assert.equal(of('uploads_total{kind="upload",outcome="duplicate"}'), 3)
  assert.equal(of('uploads_total{kind="reading",outcome="accepted"}'), 1)
  assert.equal(of('uploads_total{kind="correction",outcome="accepted"}'), 1)
  assert.equal(of('uploads_total{kind="correction",outcome="BAD_CORRECTIONS"}'), 1)
  assert.equal(of('uploads_total{kind="upload",outcome="MISSING_FILE_PART"}'), 1)
  assert.equal(of('uploads_total{kind="upload",outcome="NOT_MULTIPART"}'), 1)
  assert.equal(of('uploads_in_progress{kind="upload"}'), 0)
  assert.equal(of('file_bytes_total'), 4 * 92 + 3 * 15 + 8 + 5)
  assert.equal(of('records_total{class="header"}'), 5)
  assert.equal(of('records_total{class="rejected"}'), 2)
  assert.equal(of('rejects_total{reason="too_few_fields"}'), 2)
  assert.equal(of('stage_seconds_count{stage="receive"}'), 3)
  assert.equal(of('stage_seconds_count{stage="publish"}'), 3)
  assert.ok((of('job_seconds_count{pool="converter",job="convert"}') ?? 0) >= 2)
  assert.ok((of('job_seconds_count{pool="reader",job="rows"}') ?? 0) >= 1)
  assert.equal(of('jobs{pool="converter",state="running"}'), 0)
  assert.equal(of('jobs{pool="converter",state="waiting"}'), 0)
  assert.equal(of('children_lost_total{pool="converter"}'), 0)
  assert.ok((of('store_seconds_count{operation="publish"}') ?? 0) >= 2)
  assert.ok((of('store_free_bytes') ?? 0) > 0)
  const rows = exchanges.filter(({ operationId, status }) => operationId === 'getRows' && status === 200).length
  assert.equal(of('http_requests_total{method="GET",route="/qas/datasets/:id/rows",status="200"}'), rows)
  assert.ok((of('http_received_bytes_total') ?? 0) > 92)
  assert.ok((figures.get('process_resident_memory_bytes') ?? 0) > 1_000_000)
})

test('docs/metrics.md lists every metric that /metrics serves, with its labels', async () => {
  const samples = await (await fetch(`${service.url}/metrics`)).text()
  const served = new Map<string, ReadonlySet<string>>()
  for (const [, name, labels = ''] of samples.matchAll(
    /^(csv_upload_\w+?)(?:_bucket|_sum|_count)?(?:\{([^}]*)\})? /gm,
  )) {
    const found = [...labels.matchAll(/(\w+)="/g)].map((match) => match[1]!).filter((label) => label !== 'le')
    served.set(name!, new Set([...(served.get(name!) ?? []), ...found]))
  }
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(csv_upload_\w+)` \| \w+ \| ([^|]*) \|/gm)]
  const listed = new Map(
    rows.map(([, name, labels]) => [name!, [...labels!.matchAll(/`(\w+)`/g)].map((match) => match[1]!)]),
  )
  assert.ok(served.size >= 14, String(served.size))
  for (const [name, labels] of served) assert.deepEqual(listed.get(name)?.toSorted(), [...labels].toSorted(), name)
})

test('resumable uploads are counted: begun, resumed, completed, and their stored bytes', async () => {
  await using own = await startService()
  const { url } = own
  const content = Buffer.from('a,b\n1,2\n3,4\n')
  const client = new Client(url)
  const path = await create(client, content.length)
  await patch(client, path, 0, content.subarray(0, 4))
  const before = await scrape(url)
  const of = (name: string, from = before) => from.get(`csv_upload_${name}`)
  assert.deepEqual([of('unfinished_uploads'), of('unfinished_bytes')], [1, 4])
  assert.deepEqual(
    [of('resumable_uploads_total{event="begun"}'), of('resumable_uploads_total{event="resumed"}')],
    [1, undefined],
  )
  await patch(client, path, 4, content.subarray(4))
  await patch(client, path, content.length, '')
  const form = new FormData()
  form.append('file', new Blob(['a,b\n1,2\n']), 'a.csv')
  await fetch(`${url}/qas/uploadCsv`, { method: 'POST', body: form, headers: { prefer: 'respond-async, wait=20' } })
  let after = await scrape(url)
  // The stored bytes of an upload are removed after the response.
  while (of('unfinished_uploads', after) !== 0) after = await scrape(url)
  assert.equal(of('unfinished_bytes', after), 0)
  const counts = ['begun', 'resumed'].map((event) => of(`resumable_uploads_total{event="${event}"}`, after))
  assert.deepEqual(counts, [1, 1])
  const accepted = 'uploads_total{kind="upload",outcome="accepted"}'
  assert.equal(of(accepted, after), 2)
})

test('a resumable upload that is not finished in time is counted as expired', async () => {
  await using scratch = await scratchDir()
  await using short = await RunningService.start(scratch.path, ['--uploads-keep-for', '1s'])
  await create(new Client(short.url), 100)
  const name = 'csv_upload_resumable_uploads_total{event="expired"}'
  while ((await scrape(short.url)).get(name) !== 1);
})

test('requests to unknown paths are counted together', async () => {
  const unknown = 'csv_upload_http_requests_total{method="GET",route="none",status="404"}'
  const before = (await scrape(service.url)).get(unknown) ?? 0
  for (const path of ['/a', '/b', '/qas/%zz']) assert.equal((await fetch(service.url + path)).status, 404)
  const figures = await scrape(service.url)
  assert.equal(figures.get(unknown), before + 3)
})

test('requests whose head cannot be read are counted by their status', async () => {
  const name = (status: number) => `csv_upload_http_requests_total{method="none",route="none",status="${status}"}`
  const before = await scrape(service.url)
  const port = Number(new URL(service.url).port)
  for (const line of ['nonsense', 'GET / HTTP/1.1\r\nno colon', 'GET / HTTP/3.7']) {
    await refusal(port, Buffer.from(`${line}\r\n\r\n`))
  }
  const figures = await scrape(service.url)
  assert.equal(figures.get(name(400)), (before.get(name(400)) ?? 0) + 2)
  assert.equal(figures.get(name(505)), (before.get(name(505)) ?? 0) + 1)
})

test('the dashboard shows only existing metrics', () => {
  const dashboard = readFileSync(new URL('../../docs/grafana-dashboard.json', import.meta.url), 'utf8')
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] } // verified below
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  assert.ok(expressions.length > 10)
  const own = createInstruments().register.getMetricsAsArray()
  const known = new Set(
    own.flatMap(({ name }) =>
      name.endsWith('_seconds') ? ['bucket', 'sum', 'count'].map((end) => `${name}_${end}`) : [name],
    ),
  )
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    known.add(name)
  }
  const shown = expressions.flatMap((one) =>
    [...one.matchAll(/\b(csv_upload|process|nodejs)_\w+/g)].map(([name]) => name),
  )
  assert.deepEqual(
    shown.filter((name) => !known.has(name)),
    [],
  )
})

/** Every figure by its name and labels. */
async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

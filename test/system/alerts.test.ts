// Tests of the alerts of deploy/: they name only metrics and labels that exist, and each fires when it should.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createInstruments } from '../../src/metrics/instruments.ts'

const path = join(import.meta.dirname, '../../deploy/alerts.yml')
const text = readFileSync(path, 'utf8')
const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)

test('the alerts name only metrics and labels that exist, and the docs list them all', async () => {
  const { register, labels } = createInstruments()
  const kinds = new Map(register.getMetricsAsArray().map((one) => [one.name, 'buckets' in one ? 'histogram' : 'other']))
  const expressions = text.replaceAll(/^ +(?:summary|- alert|labels|for): .*$/gm, '')
  const uses = [...expressions.matchAll(/\b(csv_upload_\w+?)(_bucket|_sum|_count)?(?:\{([^}]*)\})?(?=[[)\s])/g)]
  assert.ok(uses.length > 8)
  for (const [use, name = '', end, selector = ''] of uses) {
    assert.equal(kinds.get(name), end === undefined ? 'other' : 'histogram', use)
    for (const [, label = ''] of selector.matchAll(/(\w+)=/g)) assert.ok(labels.get(name)?.includes(label), use)
  }
  const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8')
  assert.deepEqual(
    [...page.matchAll(/`(CsvUpload\w+)`/g)].map(([, name]) => name),
    alerts.toSorted(byPage(page)),
  )
})

function byPage(page: string) {
  return (a: string, b: string) => page.indexOf(`\`${a}\``) - page.indexOf(`\`${b}\``)
}

/** Series of each alert, a value a minute: those that make it fire within 20 minutes, and those of a service that is well. */
const series: Readonly<Record<string, readonly (readonly [name: string, trouble: string, well: string])[]>> = {
  CsvUploadDown: [['up{job="csv-upload",instance="a"}', '0x30', '1x30']],
  CsvUploadRestarts: [['process_start_time_seconds{job="csv-upload"}', '1 1 2 3 4x30', '1 1 2x30']],
  CsvUploadStoreErrors: [['csv_upload_store_errors_total{operation="publish",code="STORE_FAILED"}', '0+1x30', '1x30']],
  CsvUploadChildrenLost: [['csv_upload_children_lost_total{pool="reader"}', '0+1x30', '1x30']],
  CsvUploadBucketRefuses: [
    ['csv_upload_s3_requests_total{operation="PutObject",status="200"}', '0+80x30', '0+80x30'],
    ['csv_upload_s3_requests_total{operation="PutObject",status="503"}', '0+20x30', '0+1x30'],
  ],
  CsvUploadBucketSlow: [
    ['csv_upload_s3_request_seconds_bucket{operation="GetObject",le="1"}', '0+1x30', '0+9x30'],
    ['csv_upload_s3_request_seconds_bucket{operation="GetObject",le="2.5"}', '0+9x30', '0+10x30'],
    ['csv_upload_s3_request_seconds_bucket{operation="GetObject",le="+Inf"}', '0+10x30', '0+10x30'],
  ],
  CsvUploadTurnsClientsAway: [['csv_upload_uploads_total{kind="upload",outcome="DISK_FULL"}', '0+1x30', '1x30']],
  CsvUploadDiskNearlyFull: [['csv_upload_store_free_bytes{instance="a"}', '4e9x30', '6e9x30']],
  CsvUploadDamagedFiles: [['csv_upload_scrub_damaged_files_total{instance="a"}', '0 1x30', '1x30']],
  CsvUploadBacklog: [
    ['csv_upload_queue_length{queue="copies"}', '101x30', '99x30'],
    ['csv_upload_jobs{pool="reader",state="waiting"}', '0x30', '1x30'],
  ],
}

const noPromtool = spawnSync('promtool', ['--version']).error !== undefined && 'no promtool'
test('each alert fires in its trouble, and none in a service that is well', { skip: noPromtool }, () => {
  assert.deepEqual(Object.keys(series).toSorted(), alerts.toSorted())
  const query = (name: string) => `count(ALERTS{alertname="${name}",alertstate="firing"}) or vector(0)`
  const tests = Object.entries(series).flatMap(([alert, rows]) =>
    [1, 0].map((value) => ({
      interval: '1m',
      input_series: rows.map(([name, trouble, well]) => ({ series: name, values: value === 1 ? trouble : well })),
      promql_expr_test: [{ expr: query(alert), eval_time: '20m', exp_samples: [{ labels: '{}', value }] }],
    })),
  )
  const dir = mkdtempSync(join(tmpdir(), 'alerts-'))
  try {
    // JSON is YAML, too.
    writeFileSync(join(dir, 'tests.yml'), JSON.stringify({ rule_files: [path], evaluation_interval: '1m', tests }))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(dir, 'tests.yml')], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

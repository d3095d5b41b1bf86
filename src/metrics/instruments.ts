// Instruments: every metric, by name. The one file that names them; docs/metrics.md is generated from it.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** From the time of one page of rows to that of a file of several gigabytes. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

function createMakers() {
  const register = new Registry()
  const registers = [register]
  const labels = new Map<string, readonly string[]>()
  const named = <Label extends string>(suffix: string, help: string, labelNames: readonly Label[]) => {
    const name = `csv_upload_${suffix}`
    labels.set(name, labelNames)
    return { name, help, labelNames: [...labelNames], registers }
  }
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter<Label>(named(name, help, labelNames))
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge<Label>(named(name, help, labelNames))
  const seconds = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram<Label>({ ...named(`${name}_seconds`, help, labelNames), buckets: secondsBuckets })
  return { register, labels, counter, gauge, seconds }
}

/** Bytes of requests. */
function uploadInstruments({ counter, gauge, seconds }: ReturnType<typeof createMakers>) {
  return {
    uploads: counter(
      'uploads_total',
      'Finished uploads, readings and corrections, by outcome: `accepted`, `duplicate`, `repaired`, `replayed` (by `Idempotency-Key`), `gone` (the client disconnected), or the error code.',
      ['kind', 'outcome'],
    ),
    uploadsInProgress: gauge('uploads_in_progress', 'Uploads, readings and corrections in progress.', ['kind']),
    resumables: counter(
      'resumable_uploads_total',
      'Resumable uploads: `begun`, `resumed` (requests that went on with one), `taken_over` (by a newer request while ' +
        'another was sending), and `expired`. Those that were completed are in `uploads_total`, too.',
      ['event'],
    ),
    unfinished: gauge('unfinished_uploads', 'Uploads whose bytes are kept until they are complete and read.'),
    unfinishedBytes: gauge('unfinished_bytes', 'Bytes that are kept of them.'),
    fileBytes: counter('file_bytes_total', 'Bytes of uploaded files, duplicates included.'),
    records: counter(
      'records_total',
      'Records of new datasets, by class: `header`, `blank`, `skipped`, `accepted`, `rejected`.',
      ['class'],
    ),
    rejects: counter('rejects_total', 'Rejected records of new datasets, by reason.', ['reason']),
    stages: seconds(
      'stage',
      'Time of accepted uploads: `receive` until the last byte arrived, `publish` from then until everything is durable.',
      ['stage'],
    ),
  } as const
}

function bucketInstruments({ counter, seconds }: ReturnType<typeof createMakers>) {
  return {
    bucketRequests: counter(
      's3_requests_total',
      'Requests to the bucket, each try of a call counted, by HTTP status; `none` if there was no response.',
      ['operation', 'status'],
    ),
    bucketRetries: counter('s3_retries_total', 'Those of them that repeat one that failed.', ['operation']),
    bucketSeconds: seconds('s3_request', 'Time of requests to the bucket until the response begins.', ['operation']),
    bucketBytes: counter('s3_bytes_total', 'Bytes of their bodies, as declared: `sent` and `received`.', [
      'operation',
      'direction',
    ]),
    cacheUses: counter('cache_uses_total', 'Files of a bucket that were wanted locally: `hit` or `miss`.', ['outcome']),
  } as const
}

/** Metrics that start at zero. */
export function createInstruments() {
  const makers = createMakers()
  const { register, labels, counter, gauge, seconds } = makers
  return {
    register,
    /** Label names by metric; the client library does not show those of a metric without samples. */
    labels: labels as ReadonlyMap<string, readonly string[]>,
    ...uploadInstruments(makers),
    ...bucketInstruments(makers),
    build: gauge('build_info', 'Always 1; its labels are the version of the service and that of Node.', [
      'version',
      'node',
    ]),
    queues: gauge('queue_length', 'What waits: `queries`, `copies`, `webhooks`, and `s3_parts` for memory.', ['queue']),
    jobs: seconds('job', 'Time of jobs of column threads (`converter`) and readers, including the wait for one.', [
      'pool',
      'job',
    ]),
    jobsInProgress: gauge('jobs', 'Jobs that are `running` in a column thread or reader, or `waiting` for one.', [
      'pool',
      'state',
    ]),
    childrenLost: counter(
      'children_lost_total',
      'Column threads and readers that ended unexpectedly; another one takes over.',
      ['pool'],
    ),
    store: seconds('store', 'Time of store operations; `withLocal` lasts as long as its files are in use.', [
      'operation',
    ]),
    storeErrors: counter('store_errors_total', 'Failed store operations, by error code.', ['operation', 'code']),
    freeBytes: gauge('store_free_bytes', 'Free space for new data, in bytes; absent where it is unknown.'),
    webhooks: counter(
      'webhooks_total',
      'Messages to `--webhook`: `delivered`, `failed` after the last try, or `dropped` because too many waited.',
      ['outcome'],
    ),
    copies: counter(
      'copies_total',
      'Copies into databases: `done`, `failed` after the last try, or `dropped` because the dataset was deleted.',
      ['outcome'],
    ),
    scrubbedBytes: counter('scrubbed_bytes_total', 'Bytes that scrubbing has read and verified.'),
    damagedFiles: counter(
      'scrub_damaged_files_total',
      'Damaged or missing files that scrubbing has found; a file counts again in each scrub that finds it.',
    ),
    scrubFinished: gauge(
      'scrub_finished_timestamp_seconds',
      'When the last scrub since the start of the service finished, in seconds since 1970; 0 before the first.',
    ),
    requests: counter(
      'http_requests_total',
      'Requests, by status; `gone` if the client disconnected before the response began. ' +
        'The method is `none` if the head could not be read.',
      ['method', 'route', 'status'],
    ),
    requestSeconds: seconds('http_request', 'Time of requests, from the head to the end of the response.', ['route']),
    receivedBytes: counter('http_received_bytes_total', 'Bytes received from clients, including request heads.'),
    sentBytes: counter('http_sent_bytes_total', 'Bytes sent to clients, including response heads.'),
  } as const
}

export type Instruments = ReturnType<typeof createInstruments>

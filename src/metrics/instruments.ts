// Instruments: every figure we give, by name. The one file that names them; docs/metrics.md is made of it.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** From what a page takes to what a file of some gigabytes takes. */
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Figures that begin at nothing. */
export function createInstruments() {
  const register = new Registry()
  const registers = [register]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter<Label>({ name: `csv_upload_${name}`, help, labelNames: [...labelNames], registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge<Label>({ name: `csv_upload_${name}`, help, labelNames: [...labelNames], registers })
  const seconds = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram<Label>({
      name: `csv_upload_${name}_seconds`,
      help,
      labelNames: [...labelNames],
      buckets: secondsBuckets,
      registers,
    })
  return {
    register,
    uploads: counter(
      'uploads_total',
      'Uploads and further readings that ended: `accepted`, `duplicate`, `gone` (the client went), or the error code.',
      ['kind', 'outcome'],
    ),
    uploadsInProgress: gauge('uploads_in_progress', 'Uploads and further readings that have not ended.', ['kind']),
    fileBytes: counter('file_bytes_total', 'Bytes of the files of uploads that were accepted, or were duplicates.'),
    records: counter('records_total', 'Records of new datasets, by their class in the receipt.', ['class']),
    rejects: counter('rejects_total', 'Rejected records of new datasets, by reason.', ['reason']),
    stages: seconds(
      'stage',
      'Accepted uploads: `receive` until the last byte has come, `settle` from then until all is durable.',
      ['stage'],
    ),
    jobs: seconds('job', 'Jobs given to child processes, the wait for one included.', ['pool', 'job']),
    jobsInProgress: gauge('jobs', 'Jobs of child processes that are `running`, or `waiting` for one.', [
      'pool',
      'state',
    ]),
    childrenLost: counter(
      'children_lost_total',
      'Child processes that ended though nobody asked; another one takes over.',
      ['pool'],
    ),
    store: seconds('store', 'Operations of the store, by name; `withLocal` lasts as long as the files are used.', [
      'operation',
    ]),
    storeErrors: counter('store_errors_total', 'Operations of the store that it failed in.', ['operation', 'code']),
    freeBytes: gauge('store_free_bytes', 'Room for new data; absent where that is unknown.'),
    requests: counter(
      'http_requests_total',
      'Requests, by status; `gone` where the client went before an answer began.',
      ['method', 'route', 'status'],
    ),
    requestSeconds: seconds('http_request', 'Requests, from the head to the end of the answer.', ['route']),
    receivedBytes: counter('http_received_bytes_total', 'Bytes received from clients, heads included.'),
    sentBytes: counter('http_sent_bytes_total', 'Bytes sent to clients, heads included.'),
  } as const
}

export type Instruments = ReturnType<typeof createInstruments>

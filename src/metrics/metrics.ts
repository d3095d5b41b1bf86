// Metrics: observes the parts of the service from outside, for Prometheus. The parts know nothing of it.
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'
import { ServiceError } from '../core/errors.ts'
import type { BucketMeter, Meter, ScrubMeter } from '../core/meter.ts'
import type { UploadOutcome } from '../core/receipt.ts'
import type { NewResumable, ResumableUploads, Service, UploadReply } from '../service/service.ts'
import type { Store } from '../store/store.ts'
import { createInstruments, type Instruments } from './instruments.ts'

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Starts counting, for this version of the service, including the process's own figures. `store`, `pool` and `service`
 * take a component and return it, observed.
 */
export function createMetrics(version: string) {
  const instruments = createInstruments()
  const { register, requests, requestSeconds, receivedBytes, sentBytes } = instruments
  const ofProcess = processFigures()
  const queues = new Map<string, () => number>()
  Object.assign(instruments.queues, {
    collect: () => {
      for (const [queue, length] of queues) instruments.queues.set({ queue }, length())
    },
  })
  instruments.build.set({ version, node: process.version }, 1)
  return {
    store: (store: Store) => observeStore(store, instruments),
    /** Runs jobs in threads or child processes, `size` of them in parallel. */
    pool: <Pool extends object>(name: string, pool: Pool, size: number) => observePool(name, pool, size, instruments),
    service: (service: Service) => observeService(service, instruments),
    /** Read whenever the metrics are. */
    unfinished(figures: () => { readonly uploads: number; readonly bytes: number }) {
      const { unfinished, unfinishedBytes } = instruments
      Object.assign(unfinished, { collect: () => unfinished.set(figures().uploads) })
      Object.assign(unfinishedBytes, { collect: () => unfinishedBytes.set(figures().bytes) })
    },
    /** The length is read whenever the metrics are. */
    queue: (name: 'queries' | 'copies' | 'webhooks' | 's3_parts', length: () => number) =>
      void queues.set(name, length),
    bucket: {
      requested: ({ operation, status, isRetry, sentBytes, receivedBytes, durationMs }) => {
        instruments.bucketRequests.inc({ operation, status: status ?? 'none' })
        if (isRetry) instruments.bucketRetries.inc({ operation })
        instruments.bucketSeconds.observe({ operation }, durationMs / 1_000)
        instruments.bucketBytes.inc({ operation, direction: 'sent' }, sentBytes)
        instruments.bucketBytes.inc({ operation, direction: 'received' }, receivedBytes)
      },
      cached: (isHit) => instruments.cacheUses.inc({ outcome: isHit ? 'hit' : 'miss' }),
    } satisfies BucketMeter,
    /** A resumable upload was not finished in time. */
    uploadExpired: () => instruments.resumables.inc({ event: 'expired' }),
    scrub: {
      read: (bytes) => instruments.scrubbedBytes.inc(bytes),
      damaged: () => instruments.damagedFiles.inc(),
      finished: (atMs) => instruments.scrubFinished.set(atMs / 1_000),
    } satisfies ScrubMeter,
    /** A message has been delivered or given up. */
    webhookSettled: (outcome: string) => instruments.webhooks.inc({ outcome }),
    /** A copy into a database has ended. */
    copyEnded: (outcome: string) => instruments.copies.inc({ outcome }),
    /** A thread or child process of that pool ended unexpectedly. */
    childLost: (pool: string) => instruments.childrenLost.inc({ pool }),
    answered: ({ method, route, status, durationMs, ...bytes }) => {
      requests.inc({ method, route: route ?? 'none', status: status ?? 'gone' })
      requestSeconds.observe({ route: route ?? 'none' }, durationMs / 1_000)
      receivedBytes.inc(bytes.receivedBytes)
      sentBytes.inc(bytes.sentBytes)
    },
    unreadable: (status) => requests.inc({ method: 'none', route: 'none', status }),
    mediaType: register.contentType,
    text: async () => `${await register.metrics()}\n${await ofProcess.metrics()}`,
  } satisfies Meter & Record<string, unknown>
}

let figuresOfProcess: Registry | null = null

/** One for all servers of a process: the observers of the event loop and the garbage collector are never released. */
function processFigures(): Registry {
  if (figuresOfProcess !== null) return figuresOfProcess
  figuresOfProcess = new Registry()
  // The event loop is sampled 20 times a second, not 100: an idle service should rarely wake. Milliseconds.
  collectDefaultMetrics({ register: figuresOfProcess, eventLoopMonitoringPrecision: 50 })
  return figuresOfProcess
}

const storeErrorCodes: ReadonlySet<string> = new Set([
  'STORE_FAILED',
  'STORE_UNAVAILABLE',
  'TOO_MANY_OPEN_FILES',
  'DISK_FULL',
])

function observeStore(store: Store, { store: seconds, storeErrors, freeBytes }: Instruments): Store {
  Object.assign(freeBytes, {
    collect: async () => {
      const bytes = await store.freeBytes().catch(() => Number.POSITIVE_INFINITY)
      if (Number.isFinite(bytes)) freeBytes.set(bytes)
      else freeBytes.remove()
    },
  })
  return observed(store, (operation, result) => {
    const end = seconds.startTimer({ operation })
    result.then(
      () => end(),
      (error: unknown) => {
        end()
        const code = error instanceof ServiceError ? error.code : 'INTERNAL'
        if (storeErrorCodes.has(code)) storeErrors.inc({ operation, code })
      },
    )
  })
}

function observePool<Pool extends object>(
  pool: string,
  of: Pool,
  size: number,
  { jobs, jobsInProgress, childrenLost }: Instruments,
): Pool {
  childrenLost.inc({ pool }, 0)
  let inProgress = 0
  const add = (change: number) => {
    inProgress += change
    jobsInProgress.set({ pool, state: 'running' }, Math.min(inProgress, size))
    jobsInProgress.set({ pool, state: 'waiting' }, Math.max(0, inProgress - size))
  }
  add(0)
  return observed(of, (job, result) => {
    if (job === 'close' || job === 'check') return
    const end = jobs.startTimer({ pool, job })
    add(1)
    const done = () => {
      end()
      add(-1)
    }
    result.then(done, done)
  })
}

type Kind = 'upload' | 'reading' | 'correction'

const outcomeLabels = {
  new: 'accepted',
  duplicate: 'duplicate',
  repaired: 'repaired',
} as const satisfies Record<UploadOutcome, string>

function observeService(service: Service, instruments: Instruments): Service {
  const { uploads, uploadsInProgress } = instruments
  const done = (kind: Kind, reply: UploadReply) => {
    uploads.inc({ kind, outcome: reply.isReplayed ? 'replayed' : outcomeLabels[reply.upload.outcome] })
    if (!reply.isReplayed) countReply(reply, instruments)
  }
  const watched = async <Reply extends UploadReply>(kind: Kind, work: () => Promise<Reply>, signal: AbortSignal) => {
    uploadsInProgress.inc({ kind })
    try {
      const reply = await work()
      done(kind, reply)
      return reply
    } catch (error) {
      uploads.inc({ kind, outcome: signal.aborted ? 'gone' : codeOf(error) })
      throw error
    } finally {
      uploadsInProgress.dec({ kind })
    }
  }
  return {
    ...service,
    admit: async (...given) => {
      try {
        return await service.admit(...given)
      } catch (error) {
        uploads.inc({ kind: 'upload', outcome: codeOf(error) })
        throw error
      }
    },
    upload: (admission, body, signal, ...rest) => {
      const beganMs = performance.now()
      const clock = { lastMs: beganMs }
      const work = async () => {
        const reply = await service.upload(admission, timed(body, clock), signal, ...rest)
        const { lastMs } = clock
        instruments.stages.observe({ stage: 'receive' }, (lastMs - beganMs) / 1_000)
        instruments.stages.observe({ stage: 'publish' }, (performance.now() - lastMs) / 1_000)
        return reply
      }
      return watched('upload', work, signal)
    },
    resumable: observedResumable(service.resumable, instruments, (reply) => done('upload', reply)),
    readAgain: (...given) => watched('reading', () => service.readAgain(...given), given[2]),
    correct: (...given) => watched('correction', () => service.correct(...given), given[2]),
    as: (owner, sender) => observeService(service.as(owner, sender), instruments),
  }
}

/** Replies already counted: further requests may wait for the same one. */
const counted = new WeakSet<Promise<UploadReply>>()

/** Counts uploads that arrive in several requests, and their outcomes. */
function observedResumable(
  resumable: ResumableUploads,
  { resumables, uploads }: Instruments,
  done: (reply: UploadReply) => void,
): ResumableUploads {
  return {
    ...resumable,
    create: async (upload: NewResumable) => {
      const state = await resumable.create(upload)
      if (!upload.isOneRequest) resumables.inc({ event: 'begun' })
      return state
    },
    append: async (id, bytes) => {
      const appended = await resumable.append(id, bytes).catch((error: unknown) => {
        if (codeOf(error) === 'UPLOAD_TAKEN_OVER') resumables.inc({ event: 'taken_over' })
        throw error
      })
      const { reply } = appended
      if (bytes.offset > 0 && bytes.declaredBytes !== 0) resumables.inc({ event: 'resumed' })
      if (reply !== null && !counted.has(reply)) {
        counted.add(reply)
        reply.then(done, (error) => uploads.inc({ kind: 'upload', outcome: codeOf(error) }))
      }
      return appended
    },
  }
}

function countReply({ receipt, upload }: UploadReply, { fileBytes, records, rejects }: Instruments): void {
  fileBytes.inc(receipt.file.bytes)
  if (upload.outcome !== 'new') return
  const { total: _, ...classes } = receipt.records
  for (const [name, count] of Object.entries(classes)) records.inc({ class: name }, count)
  for (const [reason, count] of Object.entries(receipt.rejects.reasons)) rejects.inc({ reason }, count)
}

function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : 'INTERNAL'
}

/** The same body; `lastMs` is when the last chunk was taken. */
async function* timed(body: AsyncIterable<readonly BorrowedBytes[]>, clock: { lastMs: number }) {
  for await (const chunks of body) {
    clock.lastMs = performance.now()
    yield chunks
  }
  clock.lastMs = performance.now()
}

/** Called with the method name and the promise that the caller gets too. */
type OnCall = (name: string, result: Promise<unknown>) => void

/** The same object; `onCall` is called for every method call that returns a promise, while it is pending. */
export function observed<Target extends object>(target: Target, onCall: OnCall): Target {
  return new Proxy(target, {
    get(inner, name) {
      const member: unknown = Reflect.get(inner, name, inner)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        // The object itself is `this`, since private members cannot be accessed through a proxy.
        const result: unknown = Reflect.apply(member, inner, given)
        if (result instanceof Promise) onCall(String(name), result)
        return result
      }
    },
  })
}

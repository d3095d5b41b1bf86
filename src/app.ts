// App: puts the service together. The one place where implementations are chosen.
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { configuredAccess } from './access/configured-access.ts'
import { createColumnConverter } from './columns/column-converter.ts'
import { type Config, ConfigError } from './config/config.ts'
import { loadPart } from './core/load-part.ts'
import type { UploadStatus } from './core/upload-status.ts'
import { requireBinding } from './engine/duckdb/binding.ts'
import { createPartReader } from './engine/duckdb-reader.ts'
import { createQueryRunner } from './engine/query/query-runner.ts'
import { Sandbox } from './engine/sandbox/sandbox.ts'
import { withPrefix } from './http/exchange/host-prefix.ts'
import { uploadLineJson } from './http/exchange/upload-json.ts'
import { packageVersion } from './http/openapi/openapi.ts'
import { type Authenticate, addRoutesToHost, type Host, identifyBy } from './http/plugin.ts'
import { createHttpServer, createWaitingServer, defaultHttpOptions } from './http/server.ts'
import { createLogger, type Logger } from './logger.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { createHeadReader } from './reading/head-reader.ts'
import { readHead } from './reading/read-head.ts'
import { createFileScanner } from './reading/scanner/file-scanner.ts'
import { withTrailingEmpty } from './reading/scanner/trailing-empty.ts'
import { createScanner } from './reading/scanner/wasm-scanner.ts'
import { Copies } from './service/copies/copies.ts'
import { createService, type ServiceParts } from './service/create-service.ts'
import { Downloads, type DownloadTools } from './service/dataset/downloads.ts'
import { eraseTrashed, removeDataset } from './service/dataset/remove-dataset.ts'
import { VerifiedFiles } from './service/dataset/verified-files.ts'
import { startRetention } from './service/retention.ts'
import { startScrub } from './service/scrub/scheduled-scrub.ts'
import { EndedUploads } from './service/uploads/ended-uploads.ts'
import { IdempotencyKeys } from './service/uploads/idempotency-keys.ts'
import { Uploads } from './service/uploads/uploads.ts'
import { createFsStore } from './store/fs/fs-store.ts'
import type { DatasetVersion, Store, TrashedDataset } from './store/store.ts'
import { Webhook } from './webhook/webhook.ts'

/** The whole service, listening. */
export interface RunningApp {
  readonly url: string
  /** Accepts no more uploads, lets those in progress finish within the grace period, then releases everything. */
  close(): Promise<void>
  /** Reads the file of keys again. */
  reload(): void
}

export type { Authenticate, Host, Logger }

/** The methods of a logger that the parts use. */
type ServiceLogger = Pick<Logger, 'info' | 'warn' | 'error'>

/** A bucket that does not answer at the start is tried again after this time. Milliseconds. */
const bucketRetryMs = 2_000

/**
 * Starts everything in a process that does nothing else, logging to standard output. While a bucket does not answer, it
 * waits until `stopped` is aborted.
 */
export async function startApp(config: Config, stopped?: AbortSignal): Promise<RunningApp> {
  const logger = await createLogger(config)
  // A fault of ours in one request must not end the others: the log has the error, and the client sees a failure.
  const onUnhandled = (error: unknown) => logger.error({ err: error }, 'unhandled rejection')
  process.on('unhandledRejection', onUnhandled)
  await using started = new AsyncDisposableStack()
  started.defer(async () => void process.off('unhandledRejection', onUnhandled))
  const { url, close, reload } = await startService(config, logger, stopped)
  started.defer(close)
  // On Windows it says that the console closes.
  if (process.platform !== 'win32') process.on('SIGHUP', reload)
  started.defer(async () => void process.off('SIGHUP', reload))
  const running = started.move()
  return { url, close: () => running.disposeAsync(), reload }
}

/** Starts everything; resolves when it listens. If a part fails, those already started are closed again. */
export async function startService(config: Config, logger: Logger, stopped?: AbortSignal): Promise<RunningApp> {
  await using started = new AsyncDisposableStack()
  const options = { ...defaultHttpOptions, ...config }
  await using waiting = new AsyncDisposableStack()
  let isWaiting = false
  const whileAway = async (err: unknown) => {
    logger.warn({ err }, 'the bucket does not answer: tried again until it does, not ready meanwhile')
    if (!isWaiting) waiting.use(await createWaitingServer(options, logger))
    isWaiting = true
    await setTimeout(bucketRetryMs, undefined, { signal: stopped })
  }
  // A program of its own has a signal; a library fails immediately.
  const { service, metrics, forgetQueries, close } = await openService(config, logger, {
    ...(stopped && { whileAway }),
  })
  started.defer(close)
  const { access, reload } = started.use(configuredAccess(config, logger, forgetQueries))
  await waiting.disposeAsync()
  const server = await createHttpServer(service, { ...options, access }, logger, metrics)
  started.defer(() => server.close())
  const running = started.move()
  return { url: server.url, close: () => running.disposeAsync(), reload }
}

/**
 * Adds the routes of a service, below the prefix of the host, to a Fastify app, and closes the service with the app.
 *
 * @throws {ConfigError} if both the host and keys or tokens would identify callers
 */
export async function addService(host: Host, config: Config, authenticate?: Authenticate): Promise<void> {
  if (authenticate !== undefined && (config.keys !== '' || config.jwtKeys !== ''))
    throw new ConfigError('Cannot use authenticate with --keys or --jwt-keys: expected one of them')
  const { service, metrics, forgetQueries, close } = await openService(config, host.log, { prefix: host.prefix })
  const keys = configuredAccess(config, host.log, forgetQueries)
  host.addHook('onClose', async () => {
    keys[Symbol.dispose]()
    await close()
  })
  const identify = authenticate && { identify: identifyBy(authenticate) }
  const options = { ...defaultHttpOptions, ...config, access: keys.access, ...identify, hasPage: false }
  addRoutesToHost(host, service, options, metrics)
}

/** The service without its HTTP side. If a part fails, those already started are closed again. */
async function openService(
  given: Config,
  logger: ServiceLogger,
  { prefix = '', whileAway }: { readonly prefix?: string; readonly whileAway?: WhileAway } = {},
) {
  requireBinding()
  await using started = new AsyncDisposableStack()
  const metrics = createMetrics(packageVersion())
  const kept = started.adopt(await openStore(given, logger, metrics, whileAway), (one) => one.close())
  // The store has created it. Without symbolic links, since the sandbox hides it by its path.
  const config = { ...given, dataDir: await realpath(given.dataDir) }
  const store = metrics.store(kept)
  const { converter, reader, runner } = await startChildren(config, logger, metrics, started)
  const files = new VerifiedFiles(store)
  const createFiles = withTrailingEmpty(createFileScanner(createScanner))
  const copies = started.use(
    await openCopies(config, logger, metrics, { store, files, reader, converter, createScanner: createFiles }),
  )
  const webhook = openWebhook({ ...config, prefix }, logger, metrics, started)
  const onEnd = (status: UploadStatus) => {
    if (status.phase === 'expired') metrics.uploadExpired()
    webhook?.(status)
  }
  const ended = started.use(await EndedUploads.open(join(config.dataDir, 'ended-uploads'), logger))
  const uploads = new Uploads(config, ended, onEnd)
  const keys = started.use(await IdempotencyKeys.open(join(config.dataDir, 'idempotency-keys'), logger))
  const opened = await createService({
    ...config,
    store,
    uploads,
    copies,
    keys,
    files,
    converter,
    reader,
    runner,
    createScanner: createFiles,
    readHead: createHeadReader(readHead, createFiles),
    // One more that waits and one whose part is being synced, so that no column thread idles.
    segmentsMax: config.converterCount + 2,
    limits: config,
  })
  const { service, unfinished, waitingQueries } = started.use(opened)
  metrics.unfinished(unfinished)
  metrics.queue('queries', waitingQueries)
  metrics.queue('copies', () => copies.pendingCount)
  const expiring = {
    olderThan: store.olderThan.bind(store),
    remove: (of: DatasetVersion, uploadedBefore?: number) =>
      removeDataset({ store, copies, runner }, of, uploadedBefore),
    expiredTrash: store.expiredTrash.bind(store),
    erase: (of: TrashedDataset) => eraseTrashed({ store, copies }, of),
  }
  started.use(startRetention({ store: expiring, ...config, logger }))
  const { scrubEveryMs: everyMs, scrubBytesPerSecondMax: bytesPerSecondMax } = config
  started.use(startScrub({ store, everyMs, bytesPerSecondMax, logger, meter: metrics.scrub }))
  started.use(logUnready([reader, runner], logger))
  const running = started.move()
  // An owner may have lost a key.
  const forgetQueries = () => runner.forget()
  return { service: metrics.service(service), metrics, forgetQueries, close: () => running.disposeAsync() }
}

type WhileAway = (error: unknown) => Promise<void>

/** The store of a bucket if one is configured, otherwise of the data directory. */
async function openStore(
  config: Config,
  logger: ServiceLogger,
  metrics: Metrics,
  whileAway?: WhileAway,
): Promise<Store> {
  const { dataDir: dir, storeUrl, s3Endpoint, s3Region, s3PathStyle: pathStyle, cacheBytesMax } = config
  if (storeUrl === '') return await createFsStore({ dir, logger })
  const { createS3Store } = await loadPart(() => import('./store/s3/s3-store.ts'))
  const { bucketOf } = await import('./store/s3/s3-keys.ts')
  const { waitingParts } = await import('./store/s3/sent-file.ts')
  metrics.queue('s3_parts', waitingParts)
  return await createS3Store({
    ...bucketOf(storeUrl),
    endpoint: s3Endpoint || null,
    region: s3Region || null,
    pathStyle,
    dir,
    cacheBytesMax,
    logger,
    meter: metrics.bucket,
    ...(whileAway && { whileAway }),
  })
}

/** Copies datasets into the configured databases; the driver is loaded only if there are any. */
async function openCopies(config: Config, logger: ServiceLogger, metrics: Metrics, tools: DownloadTools) {
  const downloads = new Downloads(tools)
  const loadSink = () => loadPart(() => import('./sink/postgres-sink.ts'))
  if (config.copyTargets.length > 0) await loadSink()
  return Copies.open({
    store: tools.store,
    sourceOf: (receipt, signal) => async () => (await downloads.databaseCsv(receipt).open(signal)).stream,
    targets: config.copyTargets,
    sinkOf: async (target) => (await loadSink()).createPostgresSink(target),
    uploadsTo: config.copyUploadsTo,
    journalPath: join(config.dataDir, 'copies'),
    uploadsPath: join(config.dataDir, 'uploads-to-copy'),
    logger,
    onEnded: metrics.copyEnded,
  })
}

/** Returns the function that reports the end of an upload to the webhook; null if there is none. */
function openWebhook(
  config: Config & { readonly prefix: string },
  logger: ServiceLogger,
  metrics: Metrics,
  started: AsyncDisposableStack,
) {
  const { prefix, webhookUrl: url, webhookSecret: secret, webhookNetworks: networks } = config
  if (url === '') return null
  const webhook = started.use(new Webhook({ url, secret, networks, logger, onSettled: metrics.webhookSettled }))
  metrics.queue('webhooks', () => webhook.pendingCount)
  return (status: UploadStatus) => {
    const { id, owner, phase } = status
    if (phase === 'expired') return
    const type = phase === 'done' ? ('upload.done' as const) : ('upload.failed' as const)
    webhook.send({ type, id: `upload_${id}`, data: { owner, ...withPrefix(uploadLineJson(status), prefix) } })
  }
}

/**
 * Whatever keeps child processes from starting is logged now, not with the first request that needs one. The store has
 * just been opened; checking it again would leave a file in `incoming/` for a moment.
 */
function logUnready(children: readonly { check(): Promise<void> }[], logger: ServiceLogger): Disposable {
  let isClosing = false
  Promise.all(children.map((one) => one.check())).catch((error: unknown) => {
    if (!isClosing) logger.error({ err: error }, 'the service is not ready')
  })
  return {
    [Symbol.dispose]: () => {
      isClosing = true
    },
  }
}

/** Code that handles untrusted bytes, in WebAssembly or in separate processes. */
async function startChildren(
  config: Config,
  logger: ServiceLogger,
  metrics: Metrics,
  started: AsyncDisposableStack,
): Promise<Pick<ServiceParts, 'converter' | 'reader' | 'runner'>> {
  const { convertMsMax: jobMsMax, converterCount: size } = config
  const sandbox = await Sandbox.open(config.dataDir)
  const { holds, isolates, isConfined } = sandbox
  if (config.sandbox === 'required' && !isolates) {
    const wanted =
      'no network and nothing but their job; use Linux with unshare and setpriv, as root or with namespaces'
    throw new ConfigError(`Cannot start with --sandbox required: children would have '${holds}', expected ${wanted}`)
  }
  if (isConfined) logger.info({ holds }, isolates ? 'children run confined' : 'children run partly confined')
  else logger.warn({ holds }, 'children run unconfined')
  const columnThreads = { jobMsMax, logger, size, onLost: () => metrics.childLost('converter') }
  const converter = started.adopt(createColumnConverter(columnThreads), (one) => one.close())
  const readers = {
    jobMsMax,
    size,
    ...(sandbox.isConfined && { sandbox }),
    logger,
    onLost: () => metrics.childLost('reader'),
  }
  const reader = started.adopt(createPartReader(readers), (one) => one.close())
  const runner = started.adopt(createQueryRunner({ ...config, sandbox, logger }), (one) => one.close())
  return {
    converter: metrics.pool('converter', converter, size),
    reader: metrics.pool('reader', reader, size),
    runner,
  }
}

// Options: one row for each thing that can be set. Does not know where a value came from.
import { availableParallelism } from 'node:os'
import { copyOptions } from './copy-targets.ts'
import { storeOptions } from './store-options.ts'
import {
  byteCount,
  duration,
  hostNames,
  type Kind,
  networks,
  oneOf,
  origins,
  orNone,
  text,
  textOrNothing,
  webAddress,
  wholeNumber,
  yesOrNo,
} from './value-parsers.ts'

/** One thing that can be set. Its environment name and its key in a file follow from its flag. */
export interface Option<Value> extends Kind<Value> {
  /** As typed: `--max-file-size`. */
  readonly flag: `--${string}`
  /** Its default, as a user would write it. */
  readonly fallback: string
  /** What the docs print instead of a default that depends on the machine. */
  readonly fallbackShown?: string
  /** One line of help, with the unit. */
  readonly help: string
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
const logFormats = ['auto', 'json', 'pretty'] as const
const sandboxes = ['available', 'required'] as const
const resolverUnits = ['B', 'KB', 'MB'] as const

/** Every option by its name in Config, unit last. In the order of `--help`. */
export const options = {
  host: {
    flag: '--host',
    fallback: '127.0.0.1',
    ...text('a host name or address'),
    help: 'Address to listen on. Any address but loopback requires keys or --open-to-anyone.',
  },
  port: {
    flag: '--port',
    fallback: '8080',
    ...wholeNumber(0, 65_535),
    help: 'Port to listen on; 0 picks a free one.',
  },
  allowedHosts: {
    flag: '--allow-host',
    fallback: '',
    fallbackShown: 'none',
    ...hostNames(),
    help: 'Host names by which clients call the service, separated by commas; localhost and numeric addresses are always allowed.',
  },
  allowedOrigins: {
    flag: '--allow-origin',
    fallback: '',
    fallbackShown: 'none',
    ...origins(),
    help: 'Origins whose web pages may use the service from a browser (CORS), separated by commas.',
  },
  trustedProxies: {
    flag: '--trusted-proxies',
    fallback: '',
    fallbackShown: 'none',
    ...networks(),
    help: 'Proxies whose X-Forwarded-For gives the address of a client, separated by commas; that of other senders is ignored.',
  },
  isOpenToAnyone: {
    flag: '--open-to-anyone',
    fallback: 'no',
    ...yesOrNo(),
    help: 'Allow a public --host without authentication.',
  },
  keys: {
    flag: '--keys',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('a file made by csv-upload key new, or its content'),
    help: 'API keys. With keys or --jwt-keys every request must be authenticated, and callers see only their own datasets.',
  },
  jwtKeys: {
    flag: '--jwt-keys',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('the URL or the file of a JWK Set'),
    help: 'Public keys of a token issuer; `sub` of a token names the owner, `scope` lists what they may do.',
  },
  jwtIssuer: {
    flag: '--jwt-issuer',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('the `iss` of the tokens'),
    help: 'Expected issuer of tokens; required with --jwt-keys.',
  },
  jwtAudience: {
    flag: '--jwt-audience',
    fallback: 'csv-upload',
    ...text('the `aud` of the tokens'),
    help: 'Expected audience of tokens.',
  },
  requestsPerMinuteMax: {
    flag: '--requests-per-minute',
    fallback: 'none',
    ...orNone(wholeNumber(1, 1_000_000)),
    help: 'Requests per minute from one key, or from one address without authentication; more get 429.',
  },
  ownerBytesMax: {
    flag: '--quota-size',
    fallback: 'none',
    ...orNone(byteCount(1, Number.MAX_SAFE_INTEGER)),
    help: 'Total size of originals and data per owner; more gets 507.',
  },
  ownerDatasetsMax: {
    flag: '--quota-datasets',
    fallback: 'none',
    ...orNone(wholeNumber(1, 1_000_000_000)),
    help: 'Number of datasets per owner; more get 507.',
  },
  keepMs: {
    flag: '--keep-for',
    fallback: 'none',
    ...orNone(duration(1_000, 10 * 366 * 86_400_000)),
    help: 'How long a dataset is kept after the last upload of its bytes; none keeps it forever.',
  },
  uploadsKeepMs: {
    flag: '--uploads-keep-for',
    fallback: '24h',
    ...duration(1_000, 366 * 86_400_000),
    help: 'How long the status of an upload is kept after its end; its dataset stays.',
  },
  resumeWaitMs: {
    flag: '--resume-wait',
    fallback: '60s',
    ...duration(0, 86_400_000),
    help: 'How long reading waits for more bytes of a resumable upload; after that, the file is read again from its first byte.',
  },
  unfinishedMax: {
    flag: '--unfinished-max',
    fallback: '4000',
    ...wholeNumber(1, 1_000_000),
    help: 'Maximum number of unfinished resumable uploads; one client may hold half of them, and more get 507.',
  },
  unfinishedBytesMax: {
    flag: '--unfinished-size-max',
    fallback: '64GB',
    ...byteCount(1, Number.MAX_SAFE_INTEGER),
    help: 'Maximum total size of unfinished uploads, counted at their full length; one client may hold half of it.',
  },
  webhookUrl: {
    flag: '--webhook',
    fallback: '',
    fallbackShown: 'none',
    ...webAddress(),
    help: 'URL that gets a signed POST when an upload is done or has failed.',
  },
  webhookSecret: {
    flag: '--webhook-secret',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('whsec_ and Base64, or any text'),
    help: 'Key for the signatures; required with --webhook. Best set in the environment, where other users cannot see it.',
  },
  webhookNetworks: {
    flag: '--webhook-network',
    fallback: '',
    fallbackShown: 'none',
    ...networks(),
    help: 'Private networks that --webhook may be in, such as 10.0.0.0/8, separated by commas.',
  },
  ...copyOptions,
  scrubEveryMs: {
    flag: '--scrub-every',
    fallback: '7d',
    ...orNone(duration(60_000, 366 * 86_400_000)),
    help: 'How often every stored file is read and compared with its receipt; none never does.',
  },
  scrubBytesPerSecondMax: {
    flag: '--scrub-rate',
    fallback: '20MB',
    ...byteCount(65_536, 1_048_576 * 1_048_576),
    help: 'Maximum bytes per second that scrubbing reads.',
  },
  mergedBytesMax: {
    flag: '--merged-size-max',
    fallback: '2GB',
    ...byteCount(0, Number.MAX_SAFE_INTEGER),
    help: 'Maximum total size of merged Parquet files kept for later requests; the least recently used are removed first.',
  },
  dataDir: {
    flag: '--data',
    fallback: './data',
    ...text('a directory'),
    help: 'Directory that stores everything; created if missing, for one process at a time.',
  },
  ...storeOptions,
  multipartFileBytesMax: {
    flag: '--max-file-size',
    fallback: '1000MB',
    ...byteCount(1, Number.MAX_SAFE_INTEGER),
    help: 'Maximum file size; MB = 1,048,576 bytes, a bare number is bytes.',
  },
  requestBytesMax: {
    flag: '--max-request-size',
    fallback: '1000MB',
    ...byteCount(1, Number.MAX_SAFE_INTEGER),
    help: 'Maximum size of a request body, including everything around the file.',
  },
  resolverFileMax: {
    flag: '--max-upload-size-per-file',
    fallback: '10000000',
    ...wholeNumber(1, 2 ** 40),
    help: 'Second limit on the file size, in the unit of the next option; the smaller limit applies.',
  },
  resolverFileUnit: {
    flag: '--max-upload-size-per-file-unit',
    fallback: 'KB',
    ...oneOf(resolverUnits),
    help: 'Unit of --max-upload-size-per-file.',
  },
  textBytesMax: {
    flag: '--max-decompressed-size',
    fallback: '1000MB',
    ...byteCount(1, Number.MAX_SAFE_INTEGER),
    help: 'Maximum size of the decompressed text of a file sent as gzip or Zstandard.',
  },
  ratioMax: {
    flag: '--max-compression-ratio',
    fallback: '250',
    ...wholeNumber(1, 1_000_000),
    help: 'Maximum ratio of the decompressed text to the compressed file; applies once the text exceeds 16 MB.',
  },
  uploadsMax: {
    flag: '--uploads-max',
    fallback: '96',
    ...wholeNumber(1, 10_000),
    help: 'Uploads in progress at once; more get 503.',
  },
  uploadsPerClientMax: {
    flag: '--uploads-per-client-max',
    fallback: '64',
    ...wholeNumber(1, 10_000),
    help: 'Uploads of one client among them: an owner or, without authentication, an IPv4 address or an IPv6 /64.',
  },
  converterCount: {
    flag: '--converters',
    fallback: String(availableParallelism()),
    fallbackShown: 'number of cores',
    ...wholeNumber(1, 256),
    help: 'Threads that convert files, and at most as many processes that read datasets.',
  },
  bodyIdleMs: {
    flag: '--body-idle-time',
    fallback: '30s',
    ...duration(100, 86_400_000),
    help: 'Maximum wait for the next byte of a request body.',
  },
  bodyBytesPerSecondMin: {
    flag: '--body-rate-min',
    fallback: '1KB',
    ...byteCount(0, 1_048_576 * 1_024),
    help: 'Minimum rate of a request body in bytes per second, averaged over --body-idle-time; 0 requires one byte in that time.',
  },
  headersMs: {
    flag: '--headers-time',
    fallback: '15s',
    ...duration(100, 3_600_000),
    help: 'Maximum wait for the complete head of a request.',
  },
  shutdownGraceMs: {
    flag: '--shutdown-grace',
    fallback: '30s',
    ...duration(0, 86_400_000),
    help: 'How long uploads in progress may continue after a stop signal.',
  },
  recordBytesMax: {
    flag: '--record-size-max',
    fallback: '16MB',
    ...byteCount(1_024, 256 * 1_048_576),
    help: 'Maximum record size; a longer record is rejected.',
  },
  segmentBytes: {
    flag: '--segment-size',
    fallback: '16MB',
    ...byteCount(65_536, 1_024 * 1_048_576),
    help: 'Bytes of accepted records per Parquet part, cut at the next record end; the first parts of a file are smaller.',
  },
  sandbox: {
    flag: '--sandbox',
    fallback: 'available',
    ...oneOf(sandboxes),
    help: 'Confine child processes as far as the system allows, or refuse to start unless they have no network and nothing but their job.',
  },
  convertMsMax: {
    flag: '--convert-time-max',
    fallback: '120s',
    ...duration(1_000, 86_400_000),
    help: 'Maximum time to convert one part, or to read what one job of a reader reads; it is retried once, then the request fails.',
  },
  queriesMax: {
    flag: '--queries-max',
    fallback: '4',
    ...wholeNumber(1, 256),
    help: 'SQL queries running at once, each in its own process; one client gets at most half. More wait for at most 30s or --query-time-max, then get 503.',
  },
  queryMsMax: {
    flag: '--query-time-max',
    fallback: '30s',
    ...duration(100, 3_600_000),
    help: 'Maximum time of a query, including the time to read its result; shorter while other queries wait.',
  },
  queryMemoryBytesMax: {
    flag: '--query-memory-max',
    fallback: '512MB',
    ...byteCount(64 * 1_048_576, 1_048_576 * 1_048_576),
    help: 'Maximum memory of one query.',
  },
  queryRowsMax: {
    flag: '--query-rows-max',
    fallback: '1000000',
    ...wholeNumber(1, 1_000_000_000),
    help: 'Maximum number of rows in a query result.',
  },
  queryBytesMax: {
    flag: '--query-size-max',
    fallback: '100MB',
    ...byteCount(1_024, Number.MAX_SAFE_INTEGER),
    help: 'Maximum size of a query result.',
  },
  logLevel: {
    flag: '--log-level',
    fallback: 'info',
    ...oneOf(logLevels),
    help: 'Lowest level that is logged to standard output.',
  },
  logFormat: {
    flag: '--log-format',
    fallback: 'auto',
    ...oneOf(logFormats),
    help: 'Format of log lines: json for programs, pretty for humans; auto is pretty on a terminal, json otherwise.',
  },
} as const satisfies Readonly<Record<string, Option<unknown>>>

/** The name of an option in Config. */
export type OptionName = keyof typeof options
/** The parsed value of each option. */
export type OptionValues = {
  readonly [Name in OptionName]: NonNullable<ReturnType<(typeof options)[Name]['parse']>>
}

/** The environment variable of an option: `CSV_UPLOAD_MAX_FILE_SIZE` for `--max-file-size`. */
export function environmentName(flag: string): string {
  return environmentPrefix + flag.slice(2).replaceAll('-', '_').toUpperCase()
}

/** The key of an option in a configuration file: `maxFileSize` for `--max-file-size`. */
export function fileKey(flag: string): string {
  return flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Every variable with this prefix is ours; an unknown one is an error. */
export const environmentPrefix = 'CSV_UPLOAD_'

/** The option that is not a value of Config: it names the file that may contain the others. */
export const configFlag = '--config'

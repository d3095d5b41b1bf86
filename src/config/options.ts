// Options: one row for each thing that can be set. Knows nothing of where a value came from.
import { availableParallelism } from 'node:os'
import {
  byteCount,
  duration,
  hostNames,
  type Kind,
  networks,
  oneOf,
  orNone,
  text,
  textOrNothing,
  wholeNumber,
  yesOrNo,
} from './value-parsers.ts'

/** One thing that can be set. Its environment name and its key in a file follow from its flag. */
export interface Option<Value> extends Kind<Value> {
  /** As typed: `--max-file-size`. */
  readonly flag: `--${string}`
  /** Its default, as a person would write it. */
  readonly fallback: string
  /** What the docs print in place of a default that depends on the machine. */
  readonly fallbackShown?: string
  /** One line of help, with the unit. */
  readonly help: string
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
const resolverUnits = ['B', 'KB', 'MB'] as const

/** Every option by the name it has in Config: unit last. The order is the one of `--help`. */
export const options = {
  host: {
    flag: '--host',
    fallback: '127.0.0.1',
    ...text('a host name or address'),
    help: 'Address to listen on. Anything but loopback lets other machines in, and wants --open-to-anyone.',
  },
  port: {
    flag: '--port',
    fallback: '8080',
    ...wholeNumber(0, 65_535),
    help: 'Port to listen on; 0 takes any free one.',
  },
  allowedHosts: {
    flag: '--allow-host',
    fallback: '',
    fallbackShown: 'none',
    ...hostNames(),
    help: 'Names by which clients call the service, with commas between; localhost and addresses need no mention.',
  },
  trustedProxies: {
    flag: '--trusted-proxies',
    fallback: '',
    fallbackShown: 'none',
    ...networks(),
    help: 'Proxies whose X-Forwarded-For tells the address of a client, with commas between; of others it means nothing.',
  },
  isOpenToAnyone: {
    flag: '--open-to-anyone',
    fallback: 'no',
    ...yesOrNo(),
    help: 'Whether a --host that other machines reach may be used although nobody is asked who they are.',
  },
  keys: {
    flag: '--keys',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('a file of keys, as csv-upload key makes it, or what stands in it'),
    help: 'API keys; with them, or with --jwt-keys, everybody is asked who they are and sees only what is theirs.',
  },
  jwtKeys: {
    flag: '--jwt-keys',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('the address or the file of a JWK Set'),
    help: 'Public keys of who issues JSON Web Tokens; their `sub` is the owner, their `scope` what they may do.',
  },
  jwtIssuer: {
    flag: '--jwt-issuer',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('the `iss` of the tokens'),
    help: 'Who issues the tokens; needed with --jwt-keys.',
  },
  jwtAudience: {
    flag: '--jwt-audience',
    fallback: 'csv-upload',
    ...text('the `aud` of the tokens'),
    help: 'For whom the tokens have to be.',
  },
  requestsPerMinuteMax: {
    flag: '--requests-per-minute',
    fallback: 'none',
    ...orNone(wholeNumber(1, 1_000_000)),
    help: 'Requests of one key, or of one address where nobody is asked; one more is answered 429.',
  },
  ownerBytesMax: {
    flag: '--quota-size',
    fallback: 'none',
    ...orNone(byteCount(1, Number.MAX_SAFE_INTEGER)),
    help: 'What the originals and the data of one owner may come to; more is answered 507.',
  },
  ownerDatasetsMax: {
    flag: '--quota-datasets',
    fallback: 'none',
    ...orNone(wholeNumber(1, 1_000_000_000)),
    help: 'Datasets that one owner may have; one more is answered 507.',
  },
  keepMs: {
    flag: '--keep-for',
    fallback: 'none',
    ...orNone(duration(1_000, 10 * 366 * 86_400_000)),
    help: 'How long a dataset is kept before it is deleted; none is for good.',
  },
  dataDir: {
    flag: '--data',
    fallback: './data',
    ...text('a directory'),
    help: 'Directory that keeps everything; made when absent, used by one process at a time.',
  },
  multipartFileBytesMax: {
    flag: '--max-file-size',
    fallback: '1000MB',
    ...byteCount(1, Number.MAX_SAFE_INTEGER),
    help: 'Largest file; MB = 1,048,576 bytes, a bare number is bytes.',
  },
  requestBytesMax: {
    flag: '--max-request-size',
    fallback: '1000MB',
    ...byteCount(1, Number.MAX_SAFE_INTEGER),
    help: 'Largest request body, everything around the file included.',
  },
  resolverFileMax: {
    flag: '--max-upload-size-per-file',
    fallback: '10000000',
    ...wholeNumber(1, 2 ** 40),
    help: 'Second limit on one file, counted in the unit of the next option; the smaller of the two holds.',
  },
  resolverFileUnit: {
    flag: '--max-upload-size-per-file-unit',
    fallback: 'KB',
    ...oneOf(resolverUnits),
    help: 'Unit of --max-upload-size-per-file.',
  },
  uploadsMax: {
    flag: '--uploads-max',
    fallback: '96',
    ...wholeNumber(1, 10_000),
    help: 'Uploads in progress at once; one more is answered 503.',
  },
  uploadsPerOwnerMax: {
    flag: '--uploads-per-owner-max',
    fallback: '64',
    ...wholeNumber(1, 10_000),
    help: 'Of these, uploads of one owner, so that nobody takes the room of others.',
  },
  uploadsPerAddressMax: {
    flag: '--uploads-per-address-max',
    fallback: '64',
    ...wholeNumber(1, 10_000),
    help: 'Of these, uploads of one address, or of one /64 of IPv6, where nobody is asked who they are.',
  },
  converterCount: {
    flag: '--converters',
    fallback: String(availableParallelism()),
    fallbackShown: 'number of cores',
    ...wholeNumber(1, 256),
    help: 'Converter processes, each with one thread.',
  },
  bodyIdleMs: {
    flag: '--body-idle-time',
    fallback: '30s',
    ...duration(100, 86_400_000),
    help: 'Longest wait for the next byte of a request body.',
  },
  bodyBytesPerSecondMin: {
    flag: '--body-rate-min',
    fallback: '1KB',
    ...byteCount(0, 1_048_576 * 1_024),
    help: 'Bytes of a body that must come in a second, on average over the wait above; 0 asks for one byte in that time.',
  },
  headersMs: {
    flag: '--headers-time',
    fallback: '15s',
    ...duration(100, 3_600_000),
    help: 'Longest wait for the whole head of a request.',
  },
  shutdownGraceMs: {
    flag: '--shutdown-grace',
    fallback: '30s',
    ...duration(0, 86_400_000),
    help: 'How long uploads in progress may go on after a signal to stop.',
  },
  recordBytesMax: {
    flag: '--record-size-max',
    fallback: '16MB',
    ...byteCount(1_024, 256 * 1_048_576),
    help: 'Longest record; a longer one is rejected, whole and counted.',
  },
  segmentBytes: {
    flag: '--segment-size',
    fallback: '16MB',
    ...byteCount(65_536, 1_024 * 1_048_576),
    help: 'Accepted bytes that make one part of a dataset, cut at the next record end.',
  },
  convertMsMax: {
    flag: '--convert-time-max',
    fallback: '120s',
    ...duration(1_000, 86_400_000),
    help: 'Longest conversion of one part; a longer one is ended and its upload fails.',
  },
  queriesMax: {
    flag: '--queries-max',
    fallback: '2',
    ...wholeNumber(1, 256),
    help: 'SQL queries in progress at once, each a process of its own; one more is answered 503.',
  },
  queryMsMax: {
    flag: '--query-time-max',
    fallback: '30s',
    ...duration(100, 3_600_000),
    help: 'Longest query, up to the moment its answer has been taken; a longer one is ended.',
  },
  queryMemoryBytesMax: {
    flag: '--query-memory-max',
    fallback: '512MB',
    ...byteCount(64 * 1_048_576, 1_048_576 * 1_048_576),
    help: 'What one query may hold in memory; one that needs more is ended.',
  },
  queryRowsMax: {
    flag: '--query-rows-max',
    fallback: '1000000',
    ...wholeNumber(1, 1_000_000_000),
    help: 'Most rows of an answer to a query.',
  },
  queryBytesMax: {
    flag: '--query-size-max',
    fallback: '100MB',
    ...byteCount(1_024, Number.MAX_SAFE_INTEGER),
    help: 'Largest answer to a query.',
  },
  logLevel: {
    flag: '--log-level',
    fallback: 'info',
    ...oneOf(logLevels),
    help: 'Least level that is logged, as JSON lines on standard output.',
  },
} as const satisfies Readonly<Record<string, Option<unknown>>>

/** A name of Config that stands for an option. */
export type OptionName = keyof typeof options
/** The parsed value of each option. */
export type OptionValues = {
  readonly [Name in OptionName]: NonNullable<ReturnType<(typeof options)[Name]['parse']>>
}

/** Where an option is read from beside the command line: `CSV_UPLOAD_MAX_FILE_SIZE` for `--max-file-size`. */
export function environmentName(flag: string): string {
  return environmentPrefix + flag.slice(2).replaceAll('-', '_').toUpperCase()
}

/** Its key in a configuration file: `maxFileSize` for `--max-file-size`. */
export function fileKey(flag: string): string {
  return flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Every variable that begins so is ours, and one that is no option is a mistake. */
export const environmentPrefix = 'CSV_UPLOAD_'

/** The option that is no value of Config: it names the file that the others may stand in. */
export const configFlag = '--config'

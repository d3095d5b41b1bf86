// Options: one row for each thing that can be set. Does not know where a value came from.
import { availableParallelism } from 'node:os'
import { type Option, option } from './option.ts'
import {
  bucketOrNothing,
  byteCount,
  copyTargets,
  duration,
  hostNames,
  httpUrlOrNothing,
  nameOrNothing,
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

/** Every option by its name in Config, unit last. In the order of `--help`. */
export const options = {
  host: option('--host', text('a host name or address'), '127.0.0.1').help(
    'Address to listen on. Any address but loopback requires keys or --open-to-anyone.',
  ),
  port: option('--port', wholeNumber(0, 65_535), '8080').help('Port to listen on; 0 picks a free one.'),
  allowedHosts: option('--allow-host', hostNames, '').help(
    'Host names by which clients call the service, separated by commas; localhost and numeric addresses are always allowed.',
  ),
  allowedOrigins: option('--allow-origin', origins, '').help(
    'Origins whose web pages may use the service from a browser (CORS), separated by commas.',
  ),
  frameAncestors: option('--allow-frame', origins, '').help(
    'Origins whose pages may show the page of the service in a frame, separated by commas.',
  ),
  trustedProxies: option('--trusted-proxies', networks, '').help(
    'Proxies whose X-Forwarded-For gives the address of a client, separated by commas; that of other senders is ignored.',
  ),
  isOpenToAnyone: option('--open-to-anyone', yesOrNo, 'no').help('Allow a public --host without authentication.'),
  keys: option('--keys', textOrNothing('a file made by csv-upload key new, or its content'), '').help(
    'API keys. With keys or --jwt-keys every request must be authenticated, and callers see only their own datasets.',
  ),
  jwtKeys: option('--jwt-keys', textOrNothing('the URL or the file of a JWK Set'), '').help(
    'Public keys of a token issuer; `sub` of a token names the owner, `scope` lists what they may do.',
  ),
  jwtIssuer: option('--jwt-issuer', textOrNothing('the `iss` of the tokens'), '').help(
    'Expected issuer of tokens; required with --jwt-keys.',
  ),
  jwtAudience: option('--jwt-audience', text('the `aud` of the tokens'), 'csv-upload').help(
    'Expected audience of tokens.',
  ),
  requestsPerMinuteMax: option('--requests-per-minute', orNone(wholeNumber(1, 1_000_000)), 'none').help(
    'Requests per minute from one key, or from one address without authentication; more get 429.',
  ),
  ownerBytesMax: option('--quota-size', orNone(byteCount(1, Number.MAX_SAFE_INTEGER)), 'none').help(
    'Total size of originals and data per owner; more is refused with 507.',
  ),
  ownerDatasetsMax: option('--quota-datasets', orNone(wholeNumber(1, 1_000_000_000)), 'none').help(
    'Number of datasets per owner; more get 507.',
  ),
  keepMs: option('--keep-for', orNone(duration(1_000, 10 * 366 * 86_400_000)), 'none').help(
    'How long a dataset is kept after the last upload of its bytes; none keeps it forever.',
  ),
  keepTrashMs: option('--keep-trash-for', duration(1_000, 10 * 366 * 86_400_000), '7d').help(
    'How long a dataset that was moved to the trash can be restored, unless --keep-for ends earlier; it counts towards the quota until then.',
  ),
  uploadsKeepMs: option('--uploads-keep-for', duration(1_000, 366 * 86_400_000), '24h').help(
    'How long the status of an upload is kept after its end; its dataset stays.',
  ),
  resumeWaitMs: option('--resume-wait', duration(0, 86_400_000), '60s').help(
    'How long reading waits for more bytes of a resumable upload; after that, the file is read again from its first byte.',
  ),
  unfinishedMax: option('--unfinished-max', wholeNumber(1, 1_000_000), '4000').help(
    'Maximum number of unfinished resumable uploads; one client may hold half of them, and more get 507.',
  ),
  unfinishedBytesMax: option('--unfinished-size-max', byteCount(1, Number.MAX_SAFE_INTEGER), '64GB').help(
    'Maximum total size of unfinished uploads, counted at their full length; one client may hold half of it.',
  ),
  webhookUrl: option('--webhook', webAddress, '').help(
    'URL that gets a signed POST when an upload is done or has failed.',
  ),
  webhookSecret: option('--webhook-secret', textOrNothing('whsec_ and Base64, or any text'), '').help(
    'Key for the signatures; required with --webhook. Best set in the environment, where other users cannot see it.',
  ),
  webhookNetworks: option('--webhook-network', networks, '').help(
    'Private networks that --webhook may be in, such as 10.0.0.0/8, separated by commas.',
  ),
  copyTargets: option('--copy-target', copyTargets, '').help(
    'Databases that datasets can be copied into, as NAME=postgres://user@host/database, separated by spaces. Passwords come from PGPASSWORD or the file named by PGPASSFILE.',
  ),
  copyUploadsTo: option('--copy-uploads-to', nameOrNothing('the name of a --copy-target'), '').help(
    'Target to which the dataset of every upload is copied.',
  ),
  scrubEveryMs: option('--scrub-every', orNone(duration(60_000, 366 * 86_400_000)), '7d').help(
    'How often every stored file is read and compared with its receipt; none never does.',
  ),
  scrubBytesPerSecondMax: option('--scrub-rate', byteCount(65_536, 1_048_576 * 1_048_576), '20MB').help(
    'Maximum bytes per second that scrubbing reads.',
  ),
  dataDir: option('--data', text('a directory'), './data').help(
    'Directory that stores everything; created if missing, for one process at a time.',
  ),
  storeUrl: option('--store', bucketOrNothing, '').help(
    'Bucket that stores the datasets, for one process or many; --data is then a directory for this process only.',
    'the directory of --data',
  ),
  s3Endpoint: option('--s3-endpoint', httpUrlOrNothing, '').help(
    'Server of the bucket. Credentials are those that the AWS SDK finds, such as AWS_ACCESS_KEY_ID.',
    'AWS',
  ),
  s3Region: option('--s3-region', textOrNothing('a region'), '').help(
    'Region of the bucket.',
    'as the AWS SDK finds it; us-east-1 with --s3-endpoint',
  ),
  s3PathStyle: option('--s3-path-style', yesOrNo, 'no').help(
    'Name the bucket in the path instead of the host name, as most servers other than AWS require.',
  ),
  cacheBytesMax: option('--cache-size-max', byteCount(0, Number.MAX_SAFE_INTEGER), '10GB').help(
    'Maximum total size of local copies of stored files, with --store; the least recently used are removed first.',
  ),
  multipartFileBytesMax: option('--max-file-size', byteCount(1, Number.MAX_SAFE_INTEGER), '1000MB').help(
    'Maximum file size; MB = 1,048,576 bytes, a bare number is bytes.',
  ),
  requestBytesMax: option('--max-request-size', byteCount(1, Number.MAX_SAFE_INTEGER), '1000MB').help(
    'Maximum size of a request body, including everything around the file.',
  ),
  resolverFileMax: option('--max-upload-size-per-file', wholeNumber(1, 2 ** 40), '10000000').help(
    'Second limit on the file size, in the unit of the next option; the smaller limit applies.',
  ),
  resolverFileUnit: option('--max-upload-size-per-file-unit', oneOf(['B', 'KB', 'MB']), 'KB').help(
    'Unit of --max-upload-size-per-file.',
  ),
  textBytesMax: option('--max-decompressed-size', byteCount(1, Number.MAX_SAFE_INTEGER), '1000MB').help(
    'Maximum size of the decompressed text of a file sent as gzip or Zstandard.',
  ),
  ratioMax: option('--max-compression-ratio', wholeNumber(1, 1_000_000), '250').help(
    'Maximum ratio of the decompressed text to the compressed file; applies once the text exceeds 16 MB.',
  ),
  uploadsMax: option('--uploads-max', wholeNumber(1, 10_000), '96').help('Uploads in progress at once; more get 503.'),
  uploadsPerClientMax: option('--uploads-per-client-max', wholeNumber(1, 10_000), '64').help(
    'Uploads of one client among them: an owner or, without authentication, an IPv4 address or an IPv6 /64.',
  ),
  converterCount: option('--converters', wholeNumber(1, 256), String(availableParallelism())).help(
    'Threads that convert files, and at most as many processes that read datasets.',
    'number of cores',
  ),
  bodyIdleMs: option('--body-idle-time', duration(100, 86_400_000), '30s').help(
    'Maximum wait for the next byte of a request body.',
  ),
  bodyBytesPerSecondMin: option('--body-rate-min', byteCount(0, 1_048_576 * 1_024), '1KB').help(
    'Minimum rate of a request body in bytes per second, averaged over --body-idle-time; 0 requires one byte in that time.',
  ),
  headersMs: option('--headers-time', duration(100, 3_600_000), '15s').help(
    'Maximum wait for the complete head of a request.',
  ),
  shutdownGraceMs: option('--shutdown-grace', duration(0, 86_400_000), '30s').help(
    'How long uploads in progress may continue after a stop signal.',
  ),
  drainMs: option('--drain-time', duration(0, 86_400_000), '0s').help(
    'How long datasets can still be read after a stop signal while /readyz already fails, at most --shutdown-grace.',
  ),
  recordBytesMax: option('--record-size-max', byteCount(1_024, 256 * 1_048_576), '16MB').help(
    'Maximum record size; a longer record is rejected.',
  ),
  segmentBytes: option('--segment-size', byteCount(65_536, 1_024 * 1_048_576), '16MB').help(
    'Bytes of accepted records per Parquet part, cut at the next record end; the first parts of a file are smaller.',
  ),
  sandbox: option('--sandbox', oneOf(['available', 'required']), 'available').help(
    'Confine child processes as far as the system allows, or refuse to start unless they have no network and nothing but their job.',
  ),
  convertMsMax: option('--convert-time-max', duration(1_000, 86_400_000), '120s').help(
    'Maximum time to convert one part, or to read what one job of a reader reads; it is retried once, then the request fails.',
  ),
  queriesMax: option('--queries-max', wholeNumber(1, 256), '4').help(
    'SQL queries running at once, each in a process of its owner and dataset; one client gets at most half. More wait for at most 30s or --query-time-max, then get 503.',
  ),
  queryMsMax: option('--query-time-max', duration(100, 3_600_000), '30s').help(
    'Maximum time of a query, including the time to read its result; shorter while other queries wait.',
  ),
  queryMemoryBytesMax: option('--query-memory-max', byteCount(64 * 1_048_576, 1_048_576 * 1_048_576), '512MB').help(
    'Maximum memory of one query.',
  ),
  queryProcessesKept: option('--query-processes-kept', wholeNumber(0, 256), '2').help(
    'Idle processes kept up to a minute for the next query of the same owner over the same dataset, about 120 MB each; 0 gives each query a process of its own.',
  ),
  queryRowsMax: option('--query-rows-max', wholeNumber(1, 1_000_000_000), '1000000').help(
    'Maximum number of rows in a query result.',
  ),
  queryBytesMax: option('--query-size-max', byteCount(1_024, Number.MAX_SAFE_INTEGER), '100MB').help(
    'Maximum size of a query result.',
  ),
  logLevel: option('--log-level', oneOf(['silent', 'error', 'warn', 'info', 'debug']), 'info').help(
    'Lowest level that is logged to standard output.',
  ),
  logFormat: option('--log-format', oneOf(['auto', 'json', 'pretty']), 'auto').help(
    'Format of log lines: json for programs, pretty for humans; auto is pretty on a terminal, json otherwise.',
  ),
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
export const configOption = option('--config', text('a JSON file with one object'), '').help(
  'Configuration file with options in camel case: { "maxFileSize": "200MB" }.',
)

/** Every option in the order of `--help`, `--config` last. */
export const allOptions: readonly Option<unknown>[] = [...Object.values(options), configOption]

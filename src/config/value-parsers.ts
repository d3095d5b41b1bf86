// Value parsers: how each kind of option value is parsed, and what is expected of it. Knows no option.
import { isIP } from 'node:net'
import { type CopyTarget, copyModes, tableNamePattern } from '../core/copies/copy-status.ts'
import { formatBytes, formatDuration, parseBytes, parseDuration } from '../core/units.ts'

/** How a text is parsed, and what is expected of it. */
export interface Kind<Value> {
  /** The value, or null if the text is invalid. */
  readonly parse: (text: string) => Value | null
  /** What is expected, to follow the word "expected". */
  readonly wanted: string
  /** The part of an invalid text that may be shown; all of it if absent. */
  readonly shown?: (text: string) => string
  /** What to say of a valid text that is probably a mistake; null for others. */
  readonly doubt?: (text: string) => string | null
  /** Present if the option can be given several times: each is a line of its text. */
  readonly repeats?: true
}

/** Any non-empty text. */
export function text(wanted: string): Kind<string> {
  return { wanted, parse: (given) => (given.trim() === '' || given.includes('\0') ? null : given) }
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number): Kind<number> {
  return {
    wanted: `a whole number from ${min} to ${max}`,
    parse: (given) => (/^\d{1,15}$/.test(given) ? within(Number(given), min, max) : null),
  }
}

/** A size within bounds, in bytes. */
export function byteCount(min: number, max: number): Kind<number> {
  const most = max === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${formatBytes(max)}`
  return {
    wanted: `a size such as 1000MB, 1.5GB, 64KB or 4096 (bytes), at least ${formatBytes(min)}${most}`,
    parse: (given) => within(parseBytes(given), min, max),
    doubt: (given) => {
      const isFew = /^\d+$/.test(given.trim()) && Number(given) > 0 && Number(given) < 1024
      return isFew ? `${given} is a number of bytes; for megabytes, write ${given}MB` : null
    },
  }
}

/** A time within bounds, in milliseconds. */
export function duration(min: number, max: number): Kind<number> {
  return {
    wanted: `a duration such as 500ms, 30s, 1h30m, 7d or 90 (seconds), from ${formatDuration(min)} to ${formatDuration(max)}`,
    parse: (given) => within(parseDuration(given), min, max),
  }
}

/** One of the given words. */
export function oneOf<const Value extends string>(values: readonly Value[]): Kind<Value> {
  const wanted = `one of ${values.join(', ')}`
  return { wanted, parse: (given) => values.find((value) => value === given) ?? null }
}

/** A value of another kind, or `none` for Infinity. */
export function orNone({ wanted, parse, ...rest }: Kind<number>): Kind<number> {
  return {
    ...rest,
    wanted: `none, or ${wanted}`,
    parse: (given) => (given === 'none' ? Number.POSITIVE_INFINITY : parse(given)),
  }
}

/** Any text; an empty one means none. */
export function textOrNothing(wanted: string): Kind<string> {
  return { wanted, parse: (given) => (given.includes('\0') ? null : given.trim()) }
}

function matching(pattern: RegExp, wanted: string): Kind<string> {
  return { wanted, parse: (given) => (given === '' || pattern.test(given) ? given : null) }
}

/** A bucket and an optional prefix, such as `s3://bucket/some/prefix`; an empty text means none. */
export const bucketOrNothing = matching(
  /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.=-]+)*\/?$/,
  's3://bucket or s3://bucket/prefix',
)

/** The URL of a server; an empty text means none. */
export const httpUrlOrNothing: Kind<string> = {
  wanted: 'a URL such as https://s3.example.org',
  parse: (given) => (given === '' || /^https?:$/.test(URL.parse(given)?.protocol ?? '') ? given : null),
}

/** A name in lower-case letters, digits and hyphens; an empty text means none. */
export function nameOrNothing(wanted: string): Kind<string> {
  return matching(/^[a-z0-9-]*$/, wanted)
}

/** The URL of a web server, without user and password; an empty text means none. */
export const webAddress: Kind<string> = {
  wanted: 'a URL such as https://example.org/hook, without user and password',
  parse: (given) => {
    const url = URL.parse(given.trim())
    if (given.trim() === '') return ''
    return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : null
  },
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'true', 'on', '1'].map((word) => [word, true] as const),
  ...['no', 'false', 'off', '0'].map((word) => [word, false] as const),
])

/** `yes` or `no`, or what other programs call them. */
export const yesOrNo: Kind<boolean> = {
  wanted: 'yes or no',
  parse: (given) => truths.get(given.toLowerCase()) ?? null,
}

/** Items in lower case, separated by commas; an empty list for empty text. */
function listOf(wanted: string, isItem: (item: string) => boolean): Kind<readonly string[]> {
  return {
    wanted: `${wanted}, separated by commas`,
    parse: (given) => {
      const items = given.toLowerCase().split(',')
      const found = items.flatMap((item) => item.trim() || [])
      return found.every(isItem) ? found : null
    },
  }
}

export const hostNames = listOf('host names without port, such as csv.example.org', (name) =>
  /^[a-z0-9._-]{1,253}$/.test(name),
)

/** Origins of web pages. */
export const origins = listOf('origins such as http://localhost:3000', (one) => {
  return /^https?:/.test(one) && URL.parse(one)?.origin === one
})

/** Addresses, or networks as address/bits. */
export const networks = listOf('addresses or networks such as 10.0.0.0/8', isNetwork)

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

function within(value: number | null, min: number, max: number): number | null {
  return value !== null && value >= min && value <= max ? value : null
}

/** Parameters of an address that are passed on to the driver. */
const driverParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const ownParameters = ['schema', 'table', 'mode', 'key']
const parameters = [...ownParameters, ...driverParameters]

/** The driver treats other modes as `verify-full`, or ignores them. Null if the address omits it. */
const sslModes: readonly (string | null)[] = ['verify-full', 'no-verify', 'disable', null]

/** Addresses of databases by name, separated by spaces; an empty list for empty text. */
export const copyTargets: Kind<readonly CopyTarget[]> = {
  wanted:
    'NAME=postgres://user@host:5432/database, several separated by spaces, each without a password and with no other ' +
    `parameters than ${parameters.join(', ')}`,
  parse: (given) => {
    const targets = given.split(/\s+/).filter(Boolean).map(copyTarget)
    const found = targets.filter((one) => one !== null)
    return found.length === targets.length && new Set(found.map(({ name }) => name)).size === found.length
      ? found
      : null
  },
  shown: (given) => given.replaceAll(/:[^:@/\s]*@/g, ':…@').replaceAll(/(password=)[^&\s]*/gi, '$1…'),
}

function copyTarget(given: string): CopyTarget | null {
  const [, name, address = ''] = /^([a-z][a-z0-9-]{0,39})=(.*)$/.exec(given) ?? []
  const url = URL.parse(address)
  if (name === undefined || url === null || !/^postgres(ql)?:$/.test(url.protocol)) return null
  if (url.password !== '' || url.hostname === '' || url.pathname.length < 2) return null
  const { searchParams } = url
  if ([...searchParams.keys()].some((one, i, all) => !parameters.includes(one) || all.indexOf(one) !== i)) return null
  if (!sslModes.includes(searchParams.get('sslmode'))) return null
  const [schema, table, mode, key] = ownParameters.map((one) => searchParams.get(one))
  for (const one of ownParameters) searchParams.delete(one)
  const isTable = new RegExp(tableNamePattern)
  const target = {
    name,
    url: url.href,
    schema: schema ?? 'public',
    table: table ?? null,
    mode: copyModes.find((one) => one === (mode ?? 'replace')) ?? null,
    key: key ? key.split(',') : [],
  }
  if (!isTable.test(target.schema) || (target.table !== null && !isTable.test(target.table))) return null
  if (target.mode === null || (target.mode === 'upsert') !== target.key.length > 0) return null
  return { ...target, mode: target.mode }
}

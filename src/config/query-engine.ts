// Query engine: options for the engine that runs queries over large datasets. Knows no engine. Rows as in options.ts.
import { byteCount, type Kind, textOrNothing } from './value-parsers.ts'

/** Address of a Trino server, and the catalog and schema for the tables of datasets; null for no engine. */
export interface QueryEngineAddress {
  readonly trino: {
    /** `http://host:port` or `https://host:port`. */
    readonly url: string
    readonly user: string
    readonly catalog: string
    readonly schema: string
  } | null
}

const namePattern = /^[a-z_][a-z0-9_]{0,99}$/

/** An empty text means none. */
function trinoAddress(): Kind<QueryEngineAddress> {
  return {
    wanted: 'trino://user@host:8080/catalog/schema or trino+https://user@host:8443/catalog/schema, without a password',
    parse: (given) => (given.trim() === '' ? { trino: null } : addressIn(given.trim())),
    shown: (given) => given.replaceAll(/:[^:@/\s]*@/g, ':…@'),
  }
}

function addressIn(given: string): QueryEngineAddress | null {
  const [, scheme = ''] = /^(trino|trino\+https):\/\//.exec(given) ?? []
  // URL does not know these schemes, and would parse their hosts differently.
  const url = scheme === '' ? null : URL.parse(given.replace(scheme, scheme === 'trino' ? 'http' : 'https'))
  if (url === null || url.username === '' || url.password !== '' || url.search + url.hash !== '') return null
  const [catalog = '', schema = '', ...rest] = url.pathname.slice(1).split('/')
  if (rest.length > 0 || !namePattern.test(catalog) || !namePattern.test(schema)) return null
  const user = decoded(url.username)
  return user === null ? null : { trino: { url: url.origin, user, catalog, schema } }
}

/** Null if it could not be sent in a header. */
function decoded(user: string): string | null {
  const text = /%(?![0-9a-f]{2})/i.test(user) ? '' : decodeURIComponent(user)
  return /^[\x21-\x7e]+$/.test(text) && !text.includes(':') ? text : null
}

export const queryEngineOptions = {
  queryEngine: {
    flag: '--query-engine',
    fallback: '',
    fallbackShown: 'none',
    ...trinoAddress(),
    help: 'Trino server for queries over large datasets, with --store, as trino://user@host:8080/catalog/schema or trino+https://…; the catalog must use the Hive connector.',
  },
  queryEnginePassword: {
    flag: '--query-engine-password',
    fallback: '',
    fallbackShown: 'none',
    ...textOrNothing('a password'),
    shown: () => '…',
    help: 'Password of that user, with trino+https. Best set in the environment, where other users cannot see it.',
  },
  queryEngineFromBytes: {
    flag: '--query-engine-from',
    fallback: '1GB',
    ...byteCount(0, Number.MAX_SAFE_INTEGER),
    help: 'Datasets with at least this size of Parquet are queried with --query-engine.',
  },
} as const

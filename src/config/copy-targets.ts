// Copy targets: options for the databases into which datasets are copied. Opens no connection.
import { type CopyTarget, copyModes, tableNamePattern } from '../core/copies/copy-status.ts'
import type { Kind } from './value-parsers.ts'

/** Parameters of an address that are passed on to the driver. */
const driverParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const ownParameters = ['schema', 'table', 'mode', 'key']
const parameters = [...ownParameters, ...driverParameters]

/** The driver treats other modes as `verify-full`, or ignores them. Null if the address omits it. */
const sslModes: readonly (string | null)[] = ['verify-full', 'no-verify', 'disable', null]

/** Addresses of databases by name, separated by spaces; an empty list for empty text. */
export function copyTargets(): Kind<readonly CopyTarget[]> {
  return {
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

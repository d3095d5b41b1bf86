// Connect: creates a client, with its key, for the server named by the command line or the environment. Knows no command.
import { readFileSync } from 'node:fs'
import { Client } from '../client/client.ts'
import { defaultRules } from '../client/retry.ts'
import { type ClientEnvironment, clientVariables, defaultUrl } from '../config/client-environment.ts'
import { type Context, type serverOptions, UsageError, type ValuesOf } from './command.ts'

/** Creates the client; nothing is sent yet. @throws {UsageError} for an invalid address or key */
export function connect(context: Context, values: ValuesOf<typeof serverOptions>): Client {
  const address = { url: serverUrl(values.url, context.environment), key: apiKey(values.keyFile, context.environment) }
  return new Client(address, { ...defaultRules, retriesMax: values.retries }, context.signal)
}

function serverUrl(given: string | null, environment: ClientEnvironment): URL {
  const as = given !== null ? '--url' : clientVariables.url
  const text = given ?? environment.url ?? defaultUrl
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`Cannot use ${as}: given ${JSON.stringify(text)}, wanted an address such as ${defaultUrl}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `Cannot use ${as}: it contains a user or a password; put a key into ${clientVariables.key} or --key-file`,
    )
  }
  if (url.search !== '' || url.hash !== '') throw new UsageError(`Cannot use ${as}: it has a query or a fragment`)
  return url
}

/** Never shows the key, not even an invalid one. */
function apiKey(keyFile: string | null, environment: ClientEnvironment): string | null {
  if (keyFile === null && environment.key !== null) return checkedKey(environment.key, clientVariables.key)
  const path = keyFile ?? environment.keyFile
  const as = keyFile !== null ? '--key-file' : clientVariables.keyFile
  if (path === null) return null
  try {
    return checkedKey(readFileSync(path, 'utf8'), as)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Cannot use ${as}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkedKey(text: string, as: string): string {
  const key = text.trim()
  // The characters allowed in a bearer token: RFC 6750 section 2.1.
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(key)) return key
  throw new UsageError(`Cannot use ${as}: it does not contain a key`)
}

// Library: the exports of `import … from 'csv-upload-service'`. Decides nothing itself.
import { type Authenticate, addService, type Host, type Logger, type RunningApp, startService } from './app.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import type { OptionName, options } from './config/options.ts'
import { createLogger } from './logger.ts'

export type { Authenticate, Logger, RunningApp }
export { ConfigError }

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text

/** The options of `csv-upload serve`, named as in a configuration file: `maxFileSize` is `--max-file-size`. */
export type ServerOptions = {
  readonly [Name in OptionName as (typeof options)[Name]['flag'] extends `--${infer Flag}` ? Camel<Flag> : never]?:
    | string
    | number
}

/**
 * The same for a plugin, which logs as its host does. Fastify itself reads `prefix`. With `authenticate`, callers see only
 * the datasets of the owner that it returns.
 */
export type PluginOptions = Omit<ServerOptions, 'logLevel'> & {
  readonly prefix?: string
  readonly authenticate?: Authenticate
}

/**
 * Starts the whole service in this process; resolves when it listens. Reads neither the environment nor any file; the
 * defaults are those of `csv-upload serve --help`. `port: 0` picks a free port.
 *
 * @param logger A pino logger; without one, lines go to standard output from `logLevel` on.
 * @throws {ConfigError} for an unknown option or an invalid value, named as on the command line.
 * @throws {ServiceError} DATA_DIRECTORY_IN_USE when another process, or another server of this one, owns the directory;
 *   DATA_FORMAT_NEWER when a later version has written it.
 *
 * @example
 * const server = await createServer({ port: 0, data: './data', maxFileSize: '200MB' })
 * await fetch(`${server.url}/qas/uploadCsv`, { method: 'POST', body: form })
 * await server.close()
 */
export async function createServer(given: ServerOptions = {}, logger?: Logger): Promise<RunningApp> {
  const config = configOf(given)
  return startService(config, logger ?? (await createLogger(config)))
}

/**
 * A Fastify plugin with every route but the page and the docs, in an encapsulated part of the app that registers it,
 * below its `prefix`; ends with that app. `host`, `port` and the times of connections are the app's. A separate server
 * does more for clients: it rejects a request
 * before the body if the client waits for `100 Continue`, answers OPTIONS and requests that Node cannot parse, and
 * knows other methods of a path.
 *
 * @throws {ConfigError} as `createServer` does, and for `authenticate` beside `keys` or `jwtKeys`.
 *
 * @example
 * await app.register(csvUpload, { prefix: '/files', data: './data', authenticate: (request) => request.user?.id ?? null })
 */
export async function csvUpload(host: Host, { prefix: _, authenticate, ...given }: PluginOptions): Promise<void> {
  await addService(host, configOf(given), authenticate)
}

function configOf(given: ServerOptions): Config {
  const argv = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [`${flagOf(key)}=${value}`]))
  return readConfig(argv, {})
}

function flagOf(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

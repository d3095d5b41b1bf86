// Logger: log lines on standard output, as JSON for programs or in color for a person at a terminal. Knows no part of the service.
import { type Logger, pino } from 'pino'
import type { Config } from './config/config.ts'

export type { Logger }

/** JSON lines, unless `logFormat` is `pretty`, or `auto` and standard output is a terminal. */
export async function createLogger({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Promise<Logger> {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY)
  if (!isPretty) return pino({ level: logLevel })
  // Loaded only here: it takes 20 ms, which a start in the background need not spend.
  const { default: pretty } = await import('pino-pretty')
  const options = {
    ignore: 'pid,hostname,reqId,method,status,durationMs,isWhole',
    messageFormat: '{msg}{if method} {method} {status} in {durationMs} ms{end}',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
  }
  return pino({ level: logLevel }, pretty(options))
}

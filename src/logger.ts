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
  const lines = pretty(options)
  return pino({ level: logLevel }, { write: (line) => void lines.write(`${escaped(line)}\n`) })
}

/** Characters that end a line, act on a terminal, or change the direction of text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu
/** The same, except the line ends within a stack. */
const unsafeInStack = /(?!\n( {4}at |caused by: ))[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** A line of JSON whose texts cannot begin another line: some of them come from clients and tokens. */
function escaped(line: string): string {
  const codeOf = (letter: string) => `\\u{${letter.codePointAt(0)?.toString(16)}}`
  return JSON.stringify(JSON.parse(line), (name, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(name === 'stack' ? unsafeInStack : unsafe, codeOf) : value,
  )
}

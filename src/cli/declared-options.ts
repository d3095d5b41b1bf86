// Declared options: --dialect and --schema, which declare how a file is read. Knows no command and no server.
import { readFileSync } from 'node:fs'
import { option } from '../config/option.ts'
import { text } from '../config/value-parsers.ts'
import { isObject } from '../core/json.ts'
import { UsageError } from './command.ts'
import { messageOf } from './system-messages.ts'

const json = text('a JSON object, or @ followed by the name of a file with one')

/** The options of every command that declares how a file is read. */
export const declaredOptions = {
  dialect: option('--dialect <json|@file>', json).help(
    'Format of the file, as a Frictionless Table Dialect; anything you omit is detected.',
  ),
  schema: option('--schema <json|@file>', json).help('Columns of the file, as a Frictionless Table Schema.'),
}

export interface DeclarationTexts {
  readonly dialect: string | null
  readonly schema: string | null
}

/** The JSON text of each given option, by the name of its part. @throws {UsageError} for text that is not a JSON object */
export function declaredParts({ dialect, schema }: DeclarationTexts): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({ dialect, schema }).flatMap(([part, given]) =>
      given === null ? [] : [[part, jsonObject(part, given)]],
    ),
  )
}

/** JSON from the command line, or from a file named after an `@`. */
function jsonObject(part: string, given: string): string {
  const json = given.startsWith('@') ? contentOf(part, given.slice(1)) : given
  try {
    const value: unknown = JSON.parse(json)
    if (isObject(value)) return json
  } catch {}
  throw new UsageError(`Cannot use --${part}: it is not a JSON object`)
}

/** Without a byte order mark, which some editors write. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

function contentOf(part: string, path: string): string {
  try {
    return utf8.decode(readFileSync(path))
  } catch (error) {
    const problem = error instanceof TypeError ? `${path} is not UTF-8` : messageOf(error)
    throw new UsageError(`Cannot use --${part}: ${problem}`)
  }
}

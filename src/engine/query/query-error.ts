// Query error: turns a DuckDB error into what a caller may know about it. Knows nothing of processes.
import type { Refusal } from './query-job.ts'

/** DuckDB's message is cut to this length; the line of SQL it points at is added. */
const headCharactersMax = 500
const lineCharactersMax = 500

/** Kinds of errors about the statement: their messages contain nothing but parts of it, or of the data. */
const tellable = new Set(
  `Parser, Syntax, Binder, Catalog, Conversion, Invalid Input, Invalid Type, Mismatch Type, Out of Range, Divide by Zero,
  Not implemented, Parameter Not Resolved, Parameter Not Allowed, Expression, Executor, Planner, Sequence`.split(
    /,\s+/,
  ),
)

/** Kinds of errors about something outside: their messages contain paths. */
const outside = new Set(
  `IO, HTTP, Permission, Invalid Configuration, Settings, Missing Extension, Autoload, Extension, Dependency,
  Network`.split(/,\s+/),
)

/**
 * Turns an error of DuckDB into a refusal.
 * @param dir The work directory of the child: its path stays private.
 */
export function refusalOf(error: unknown, dir: string): Refusal {
  const message = String(error instanceof Error ? error.message : error).replace(/^Failed to extract statements: /, '')
  const [, kind = '', text = ''] = /^([A-Z][A-Za-z ]*?) (?:Error|Exception): (.*)$/s.exec(message) ?? []
  if (kind === 'Out of Memory' || /std::bad_alloc|Allocation failure|Array buffer allocation/.test(message)) {
    return { code: 'QUERY_TOO_LARGE', problem: 'it needs more memory than a query may have' }
  }
  // The limit of its directory, of a file, or of the disk: whichever comes first.
  if (/max_temp_directory_size|Could not write file "out\/|No space left on device/.test(message)) {
    return { code: 'QUERY_TOO_LARGE', problem: 'it needs more temporary disk space than a query may have' }
  }
  const place = placeOf(text)
  if (tellable.has(kind)) {
    const head = named(text.slice(0, text.length - place.length).trim())
    return { code: 'QUERY_FAILED', problem: `${kind} Error: ${cut(head)}${place}`.replaceAll(dir, '…') }
  }
  const problem = outside.has(kind)
    ? 'it uses something other than the table data: files, the network, extensions and settings are not available'
    : engineFailed
  return { code: 'QUERY_FAILED', problem: `${problem}${place}`.replaceAll(dir, '…') }
}

/** Whether the engine can be trusted with another statement after an error: not if it ran out of something, or failed. */
export function leavesEngineIntact({ code, problem }: Refusal): boolean {
  return code !== 'QUERY_TOO_LARGE' && !problem.startsWith(engineFailed)
}

const engineFailed = 'the engine failed on it'

/** If the table name is wrong, the message states the right one; DuckDB's own guess would mislead. */
function named(head: string): string {
  const unknown = /^Table with name .+ does not exist!/s.exec(head)?.[0]
  return unknown === undefined ? head : `${unknown} The only table is called data.`
}

/** The line with the error, and a mark below the place. */
function placeOf(text: string): string {
  const place = /\n\nLINE \d+: .*$/s.exec(text)?.[0] ?? ''
  return place.length > lineCharactersMax ? '' : place
}

function cut(text: string): string {
  return text.length > headCharactersMax ? `${text.slice(0, headCharactersMax)}…` : text
}

// Generated: the parts of the docs that are generated from the code and the benchmark, between markers on their page.
// What people write in a generated table, such as advice, stands on the page alone.
import { readFileSync } from 'node:fs'
import { corpusTable } from '../../corpus/figures.ts'
import { shownDefault } from '../../src/cli/terminal/command-help.ts'
import { allOptions, environmentName } from '../../src/config/options.ts'
import { type ErrorCode, errorTable } from '../../src/core/errors.ts'
import { noteCodes, noteSeverities } from '../../src/core/notes.ts'
import { rejectReasons } from '../../src/core/reject-reasons.ts'
import { always } from '../../src/http/openapi/operation.ts'
import { createInstruments } from '../../src/metrics/instruments.ts'
import { tortureTable } from '../../torture/figures.ts'
import { modules } from '../../torture/modules.ts'
import { arrowTable } from '../house/arrows.ts'
import { apiPage, endpointResponses, operationsByCode } from './api-page.ts'
import { coresTable, peersTable, replicasTable, targetsTable } from './bench-targets.ts'
import { commandSections, exitCodeTable } from './commands.ts'
import { featureTable } from './feature-lines.ts'
import { cpuTable, declaredTable, exportsTable, figuresTable, shapesTable } from './figures.ts'
import { estimateList, sizingTable } from './sizing.ts'

/** Text between `<!-- name -->` and `<!-- /name -->` on a page. */
export interface GeneratedPart {
  /** Below the checkout. */
  readonly page: string
  readonly name: string
  readonly text: string
  /** Its figures change with every line of code: those on the page may be some percent old. */
  readonly isRough?: boolean
}

export const generatedParts: readonly GeneratedPart[] = [
  { page: 'README.md', name: 'figures', text: figuresTable() },
  { page: 'docs/benchmarks.md', name: 'targets', text: targetsTable() },
  { page: 'docs/benchmarks.md', name: 'cores', text: coresTable() },
  { page: 'docs/benchmarks.md', name: 'replicas', text: replicasTable() },
  { page: 'docs/benchmarks.md', name: 'peers', text: peersTable() },
  { page: 'docs/benchmarks.md', name: 'cpu', text: cpuTable() },
  { page: 'docs/benchmarks.md', name: 'shapes', text: shapesTable() },
  { page: 'docs/benchmarks.md', name: 'declared', text: declaredTable() },
  { page: 'docs/benchmarks.md', name: 'exports', text: exportsTable() },
  { page: 'docs/operations.md', name: 'sizing', text: sizingTable() },
  { page: 'docs/operations.md', name: 'estimate', text: estimateList() },
  { page: 'docs/corpora.md', name: 'corpus figures', text: corpusTable() },
  { page: 'docs/reliability.md', name: 'torture', text: tortureTable(modules) },
  { page: 'docs/architecture.md', name: 'arrows', text: arrowTable() },
  { page: 'docs/architecture.md', name: 'features', text: featureTable(), isRough: true },
  { page: 'docs/api.md', name: 'api', text: apiPage(table) },
  { page: 'docs/cli.md', name: 'commands', text: commandSections(table) },
  { page: 'docs/cli.md', name: 'exit codes', text: exitCodeTable(table) },
  { page: 'docs/config.md', name: 'options', text: optionTable() },
  { page: 'docs/metrics.md', name: 'metrics', text: await metricTable() },
  { page: 'docs/errors.md', name: 'errors', text: errorCodeTable() },
  { page: 'docs/errors.md', name: 'reject reasons', text: rejectTable() },
  { page: 'docs/notes.md', name: 'notes', text: noteCodeTable() },
  { page: 'docs/migrate-from-spring.md', name: 'responses', text: endpointResponses(table) },
]

/** Path of a page in the checkout. */
export function pageUrl(page: string): URL {
  return new URL(`../../${page}`, import.meta.url)
}

/** The page with the part updated. */
export function withPart(page: string, { name, text }: GeneratedPart): string {
  const [before, rest] = splitOnce(page, `<!-- ${name} -->`)
  const [, after] = splitOnce(rest, `<!-- /${name} -->`)
  return `${before}<!-- ${name} -->\n${text}\n<!-- /${name} -->${after}`
}

function splitOnce(text: string, marker: string): readonly [string, string] {
  const pieces = text.split(marker)
  if (pieces.length !== 2)
    throw new Error(`Cannot find the part: marker ${marker} occurs ${pieces.length - 1} times, expected once`)
  return [pieces[0]!, pieces[1]!]
}

function optionTable(): string {
  return table(
    ['Flag', 'Environment', 'Default', 'What it is', 'Expected'],
    allOptions.map((row) => {
      const { flag, help, wanted } = row
      const fallback = shownDefault(row) ?? 'none'
      const shown = fallback === 'none' || fallback.includes(' ') ? fallback : `\`${fallback}\``
      return [`\`${flag}\``, `\`${environmentName(flag)}\``, shown, help, wanted]
    }),
  )
}

async function metricTable(): Promise<string> {
  const { register, labels } = createInstruments()
  const metrics = await register.getMetricsAsJSON()
  return table(
    ['Name', 'Type', 'Labels', 'What it measures'],
    metrics.map(({ name, type, help }) => [
      `\`${name}\``,
      String(type),
      (labels.get(name) ?? []).map((label) => `\`${label}\``).join(', '),
      help,
    ]),
  )
}

function errorCodeTable(): string {
  const operations = operationsByCode()
  const whereOf = (code: ErrorCode) => {
    const those = operations.get(code) ?? []
    if (always.some((one) => one === code)) return 'any'
    return those.length > 6 ? `${those.length} operations` : those.map((one) => `\`${one}\``).join(', ')
  }
  const codes = Object.keys(errorTable) as ErrorCode[] // the keys of the table are the codes by definition
  return table(
    ['Code', 'Status', '`exception`', '`message`', 'What to do', 'Operations'],
    codes.map((code) => [
      `\`${code}\``,
      String(errorTable[code].status),
      `\`${errorTable[code].exception}\``,
      exampleMessage(code),
      written('docs/errors.md', code)[4]!,
      whereOf(code),
    ]),
  )
}

/** The message with the names of its details in place of values: `larger than the limit of {limitBytes} bytes`. */
function exampleMessage(code: ErrorCode): string {
  const message = errorTable[code].message as (details: unknown) => string // the names are all that it can show
  return message(new Proxy({}, { get: (_, name) => (name === 'allow' ? ['{allow}'] : `{${String(name)}}`) }))
}

function noteCodeTable(): string {
  const rows = noteCodes.map((code) => [
    `\`${code}\``,
    noteSeverities[code],
    ...written('docs/notes.md', code).slice(2),
  ])
  return table(['Code', 'Severity', 'What was found', 'What to do'], rows)
}

function rejectTable(): string {
  return table(
    ['Reason', 'What was found'],
    rejectReasons.map((reason) => [`\`${reason}\``, written('docs/errors.md', reason)[1]!]),
  )
}

/** The cells of the row about a code on its page. */
function written(page: string, code: string): readonly string[] {
  const row = readFileSync(pageUrl(page), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| \`${code}\` |`))
  if (row === undefined) throw new Error(`${page} says nothing about ${code}: add a row to its table`)
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

// Security: the table of threats as Markdown, with links to the tests of each.
import { threats } from '../hostile/threats.ts'

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** One row per threat; tests are linked by file. What no test covers follows them. */
export function threatTable(table: Table): string {
  return table(
    ['', 'Threat', 'Result', 'Tests'],
    threats.map(({ number, threat, expected, tests, beyond }) => [
      String(number),
      threat,
      beyond === undefined ? expected : `${expected}; not shown by a test: ${beyond}`,
      [...new Set(tests.map((place) => place.slice(0, place.indexOf(': '))))].map(link).join(', '),
    ]),
  )
}

function link(file: string): string {
  return `[${file.split('/').at(-1)}](${file})`
}

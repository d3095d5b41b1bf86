// Statement uses: the functions and tables that a SELECT statement names, found by DuckDB's own parser. Executes nothing.
import type { DuckDBConnection } from '../duckdb/duckdb.ts'
import type { Use } from './function-list.ts'

const parseSql = 'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)'

/** Null if the SQL does not consist of SELECT statements; SHOW, DESCRIBE, SUMMARIZE and PIVOT count as such. */
export async function usesOf(connection: DuckDBConnection, sql: string): Promise<readonly Use[] | null> {
  const reader = await connection.runAndReadAll(parseSql, [sql])
  const tree: unknown = JSON.parse(String(reader.getRowsJS()[0]?.[0]))
  return isNode(tree) && tree.error === false ? [...usesIn(tree)] : null
}

type Node = Readonly<Record<string, unknown>>

/** Without recursion: a statement may be nested deeply. */
function* usesIn(tree: Node): Generator<Use> {
  const left: unknown[] = [tree]
  const tableFunctions = new Set<unknown>()
  while (left.length > 0) {
    const node = left.pop()
    if (Array.isArray(node)) for (const item of node) left.push(item)
    if (!isNode(node)) continue
    if (node.type === 'TABLE_FUNCTION') tableFunctions.add(node.function)
    const name = nameOf(node.function_name)
    if (name !== null && tableFunctions.has(node)) yield { kind: 'table function', name, source: sourceOf(node) }
    else if (name !== null) yield { kind: 'function', name }
    const table = nameOf(node.table_name)
    if (node.type === 'BASE_TABLE' && table !== null) yield { kind: 'table', name: table }
    for (const member of Object.values(node)) left.push(member)
  }
}

/** The table named by the first argument, as an identifier or a string. */
function sourceOf({ children }: Node): string | null {
  const first: unknown = Array.isArray(children) ? children[0] : undefined
  if (!isNode(first) || (first.alias !== undefined && first.alias !== 'source')) return null
  const { column_names: names, value } = first
  if (first.class === 'COLUMN_REF' && Array.isArray(names) && names.length === 1) return nameOf(names[0])
  return first.class === 'CONSTANT' && isNode(value) ? nameOf(value.value) : null
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value.toLowerCase() : null
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

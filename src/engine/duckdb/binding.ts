// Binding: whether DuckDB is installed for this platform. Does not load it, which would take memory in the service.
import { createRequire } from 'node:module'

/** @throws {Error} naming the package that is missing: it is optional, so npm can leave it out silently */
export function requireBinding(): void {
  const name = `@duckdb/node-bindings-${process.platform}-${process.arch}`
  const api = createRequire(import.meta.url).resolve('@duckdb/node-api')
  const { resolve } = createRequire(createRequire(api).resolve('@duckdb/node-bindings'))
  for (const one of [name, `${name}-musl`]) {
    try {
      if (resolve(`${one}/duckdb.node`)) return
    } catch {}
  }
  throw new Error(`Cannot start without the package ${name}: install again without --omit=optional`)
}

// Binding: whether DuckDB is installed for this platform. Does not load it, which would take memory in the service.
import { createRequire } from 'node:module'

/** @throws {Error} naming the package that is missing: it is optional, so npm can leave it out silently */
export function requireBinding(platform = `${process.platform}-${process.arch}`): void {
  const name = `@duckdb/node-bindings-${platform}`
  try {
    const api = createRequire(import.meta.url).resolve('@duckdb/node-api')
    const bindings = createRequire(createRequire(api).resolve('@duckdb/node-bindings'))
    if ([name, `${name}-musl`].some((one) => isInstalled(bindings, one))) return
  } catch {}
  throw new Error(`Cannot start without the package ${name}: install again without --omit=optional`)
}

function isInstalled({ resolve }: NodeJS.Require, name: string): boolean {
  try {
    return resolve(`${name}/duckdb.node`) !== ''
  } catch {
    return false
  }
}

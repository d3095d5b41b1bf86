// DuckDB: opens an engine with the settings that every use shares. The only file that uses the binding; knows nothing of CSV.
import { type DuckDBConnection, DuckDBInstance, DuckDBStructValue, DuckDBStructVector } from '@duckdb/node-api'

export {
  DuckDBArrayValue,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDateValue,
  type DuckDBExtractedStatements,
  type DuckDBInstance,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBPreparedStatement,
  DuckDBStructValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
  type JS,
  StatementType,
} from '@duckdb/node-api'

/** The binding assigns the members of a struct to an object one by one, which loses a member named `__proto__`. */
DuckDBStructVector.prototype.getItem = function (this: DuckDBStructVector, itemIndex: number) {
  if (!this.isItemValid(itemIndex)) return null
  const members = this.type.entryNames.map((name, i) => [name, this.getItemValue(itemIndex, i)] as const)
  return new DuckDBStructValue(Object.fromEntries(members))
}

/** One thread, no extensions, secrets or cached files from elsewhere, times in UTC. */
const sharedSettings = {
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  enable_external_file_cache: 'false',
}

/** Opens an engine in memory. `settings` are DuckDB settings, by DuckDB's names, in addition to the shared ones. */
export async function openEngine(settings: Readonly<Record<string, string>>): Promise<DuckDBInstance> {
  const engine = await DuckDBInstance.create(':memory:', { ...sharedSettings, ...settings })
  const connection = await engine.connect()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  connection.closeSync()
  return engine
}

/** The only connection of a new engine. */
export async function openDuckDb(settings: Readonly<Record<string, string>>): Promise<DuckDBConnection> {
  return (await openEngine(settings)).connect()
}

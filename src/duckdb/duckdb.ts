// DuckDB: opens an engine with what every use of it shares. The one file that touches the binding; knows nothing of CSV.
import { type DuckDBConnection, DuckDBInstance, DuckDBStructValue, DuckDBStructVector } from '@duckdb/node-api'

export {
  DuckDBArrayValue,
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBDateValue,
  type DuckDBExtractedStatements,
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

/** One thread, nothing fetched from elsewhere, nothing kept elsewhere, times in UTC. */
const sharedSettings = {
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_persistent_secrets: 'false',
  enable_external_file_cache: 'false',
}

/** Opens an engine in memory. `settings` are DuckDB's, by its names for them, beside those every use shares. */
export async function openDuckDb(settings: Readonly<Record<string, string>>): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { ...sharedSettings, ...settings })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return connection
}

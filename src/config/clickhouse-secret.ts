// ClickHouse secret: where the environment has passwords of ClickHouse, as PGPASSWORD and PGPASSFILE have those of PostgreSQL.
export function readClickHouseSecret(environment: Readonly<Record<string, string | undefined>> = process.env) {
  const { CLICKHOUSE_PASSWORD: password = '', CLICKHOUSE_PASSFILE: passwordsPath = '' } = environment
  return { password, passwordsPath }
}

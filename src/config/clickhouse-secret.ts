// ClickHouse secret: environment variables for ClickHouse passwords, like PGPASSWORD and PGPASSFILE for PostgreSQL.
export function readClickHouseSecret() {
  const { CLICKHOUSE_PASSWORD: password = '', CLICKHOUSE_PASSFILE: passwordsPath = '' } = process.env
  return { password, passwordsPath }
}

// ClickHouse secret: environment variables for ClickHouse passwords, like PGPASSWORD and PGPASSFILE for PostgreSQL.
export function readClickHouseSecret(environment: Readonly<Record<string, string | undefined>> = process.env) {
  const { CLICKHOUSE_PASSWORD: password = '', CLICKHOUSE_PASSFILE: passwordsPath = '' } = environment
  return { password, passwordsPath }
}

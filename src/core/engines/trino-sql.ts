// Trino SQL: how types, names and texts are written in Trino's SQL. Knows no statement.

/** Hive has neither times nor timestamps with a zone: times are microseconds since midnight, instants timestamps in UTC. */
export const hiveTypes: Readonly<Record<string, string>> = {
  integer: 'bigint',
  number: 'double',
  boolean: 'boolean',
  date: 'date',
  time: 'bigint',
  timestamp: 'timestamp(6)',
  timestamptz: 'timestamp(6)',
  text: 'varchar',
}

export const icebergTypes: Readonly<Record<string, string>> = {
  ...hiveTypes,
  time: 'time(6)',
  timestamptz: 'timestamp(6) with time zone',
}

/** @param types The names of all types of a receipt but decimals, which keep theirs. */
export function trinoType(type: string, types: Readonly<Record<string, string>>): string {
  if (type.startsWith('decimal(')) return type
  const found = types[type]
  if (found === undefined) throw new Error(`Cannot name a type for '${type}'`)
  return found
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

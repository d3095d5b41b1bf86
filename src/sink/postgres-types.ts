// PostgreSQL types: which columns of an existing table keep every value of a dataset as it is. Knows no connection.

/** A column of a table in the database. */
export interface FoundColumn {
  readonly name: string
  /** As PostgreSQL shows it: `numeric(9,2)`. */
  readonly shown: string
  /** The type below all domains: its name if it is one of PostgreSQL's own, `enum`, or empty. */
  readonly type: string
  /** Its modifier, such as a length; −1 for none. https://www.postgresql.org/docs/current/catalog-pg-attribute.html */
  readonly modifier: number
}

/** Returns a `FoundColumn` for each column. A domain may be over a domain; the modifier is that of the last one. */
export function foundColumnsSql(tableLiteral: string): string {
  return `WITH RECURSIVE found AS (
      SELECT attname, atttypid AS type, atttypmod AS modifier, format_type(atttypid, atttypmod) AS shown
      FROM pg_attribute WHERE attrelid = to_regclass(${tableLiteral}) AND attnum > 0 AND NOT attisdropped
      UNION ALL
      SELECT attname, typbasetype, typtypmod, shown FROM found JOIN pg_type ON oid = type WHERE typtype = 'd'
    )
    SELECT attname AS name, shown, modifier, CASE WHEN typtype = 'e' THEN 'enum'
      WHEN typnamespace = 'pg_catalog'::regnamespace THEN typname ELSE '' END AS type
    FROM found JOIN pg_type ON oid = found.type WHERE typtype <> 'd'`
}

const wholes = ['int2', 'int4', 'int8', 'numeric', 'text', 'varchar']

/**
 * Types that store a value unchanged, or refuse it. Not among them is what changes some values without an error: `char`
 * pads, `money` and floats round, `boolean` reads 1 as true, `uuid` and `jsonb` write another text.
 */
const keptBy: Readonly<Record<string, readonly string[]>> = {
  integer: wholes,
  decimal: ['numeric', 'text', 'varchar'],
  number: ['float8', 'numeric', 'text', 'varchar'],
  boolean: ['bool', 'text', 'varchar'],
  date: ['date', 'timestamp', 'text', 'varchar'],
  time: ['time', 'text', 'varchar'],
  timestamp: ['timestamp', 'text', 'varchar'],
  timestamptz: ['timestamptz', 'text', 'varchar'],
  text: ['text', 'varchar', 'json', 'enum'],
}

/** Digits of a second in our times. */
const secondDigits = 6

/** Whether a column stores each value of a receipt's type unchanged, or refuses it with an error. */
export function keepsValues({ type, modifier }: Pick<FoundColumn, 'type' | 'modifier'>, receiptType: string): boolean {
  const [kind = '', , scaleText = '0'] = receiptType.split(/[(,)]/)
  const scale = Number(scaleText)
  const kept = kind === 'decimal' && scale === 0 ? wholes : keptBy[kind]
  if (!kept?.includes(type)) return false
  if (modifier < 0) return true
  if (type === 'numeric') return kind !== 'number' && scaleOf(modifier) >= scale
  // Spaces beyond its length are cut without an error; only texts end with spaces.
  if (type === 'varchar') return kind !== 'text'
  return kind === 'date' || !type.startsWith('time') || modifier >= secondDigits
}

/** The scale is signed, in the last 11 bits. https://github.com/postgres/postgres/blob/REL_18_0/src/backend/utils/adt/numeric.c#L916 */
function scaleOf(modifier: number): number {
  return (((modifier - 4) & 0x7ff) ^ 1_024) - 1_024
}

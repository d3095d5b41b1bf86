// ClickHouse password: finds the password outside of addresses, options and requests.
import { open } from 'node:fs/promises'

export interface PasswordPlace {
  readonly host: string
  readonly port: string
  readonly database: string
  readonly user: string
}

/** Either may be empty. */
export interface ClickHouseSecret {
  readonly password: string
  readonly passwordsPath: string
}

/**
 * The given password; otherwise the one for the place in the file; otherwise none. The file is like PostgreSQL's: a
 * line `host:port:database:user:password` for each place, with `*` for any, and a backslash before a colon.
 *
 * @throws if the file cannot be read, or others may read it
 */
export async function passwordOf(
  { host, port, database, user }: PasswordPlace,
  { password, passwordsPath: path }: ClickHouseSecret,
): Promise<string> {
  if (password !== '' || path === '') return password
  for (const line of (await privateText(path)).split(/\r?\n/)) {
    const fields = fieldsOf(line)
    const isOfPlace = [host, port, database, user].every((one, i) => fields[i] === '*' || fields[i] === one)
    if (isOfPlace && fields[4] !== undefined) return fields[4]
  }
  return ''
}

async function privateText(path: string): Promise<string> {
  await using file = await open(path)
  const { mode } = await file.stat()
  if ((mode & 0o077) !== 0)
    throw new Error('Cannot use the file of CLICKHOUSE_PASSFILE: others may read it, wanted 600')
  return await file.readFile('utf8')
}

function fieldsOf(line: string): readonly string[] {
  const fields = line.startsWith('#') ? null : line.match(/(?:\\.|[^:\\])+|(?<=^|:)(?=:|$)/g)
  return (fields ?? []).map((field) => field.replaceAll(/\\(.)/g, '$1'))
}

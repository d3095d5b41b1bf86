// Trino probe: checks that a Trino reads what the service writes, with a small file in the bucket.
import { randomBytes } from 'node:crypto'
import type { TrinoClient } from './trino-client.ts'
import type { TrinoTables } from './trino-tables.ts'

/**
 * Parquet, as DuckDB writes it, with the instants below in two columns, without and with a zone, whose names differ
 * only by case. Trino's Hive connector shifts instants if its catalog is not in UTC, so these are from several seasons
 * and years.
 */
export const probeBytes = Buffer.from(
  [
    'UEFSMRUAFbwBFbwBLBUWFQAVBhUGAAACAAAAFgEAYEO37yb4/wDwqnu4X/7//1/ZmaqQAAAB4EiVz54AAAA4YI7iegMAAPgXDPWBAwAAGKenG4kDAACY',
    'DWFWkAMAAOhJyP8OBgAAKGj/TB0GAP9fc8wMRIQDFQAVvAEVvAEsFRYVABUGFQYAAAIAAAAWAQBgQ7fvJvj/APCqe7hf/v//X9mZqpAAAAHgSJXPngAA',
    'ADhgjuJ6AwAA+BcM9YEDAAAYp6cbiQMAAJgNYVaQAwAA6EnI/w4GAAAoaP9MHQYA/19zzAxEhAMVAhk8NQAYDWR1Y2tkYl9zY2hlbWEVBAAVBCUCGARh',
    'LCBiJRRMjBIcLAAAAAAAFQQlAhgGQSwgQl8xJRRMjBEcLAAAAAAAFhYZHBksJgAcFQQZFQAZGARhLCBiFQAWFhbiARbiASYIPBgI/19zzAxEhAMYCABg',
    'Q7fvJvj/FgAoCP9fc8wMRIQDGAgAYEO37yb4/xERAAAAJgAcFQQZFQAZGAZBLCBCXzEVABYWFuIBFuIBJuoBPBgI/19zzAxEhAMYCABgQ7fvJvj/FgAo',
    'CP9fc8wMRIQDGAgAYEO37yb4/xERAAAAFsQDFhYmCBbEAwAoKER1Y2tEQiB2ZXJzaW9uIHYxLjUuNiAoYnVpbGQgMDY5Y2M5ZjliNSkZLBwAABwAAAAj',
    'AQAAUEFSMQ==',
  ].join(''),
  'base64',
)

const instants = [
  '1900-01-01 00:00:00.000000',
  '1955-07-01 12:00:00.000000',
  '1975-01-15 23:59:59.999999',
  '1975-07-15 00:00:00.000001',
  '2001-01-15 06:00:00.000000',
  '2001-04-15 06:00:00.000000',
  '2001-07-15 06:00:00.000000',
  '2001-10-15 06:00:00.000000',
  '2024-01-15 18:00:00.000000',
  '2024-07-15 18:00:00.000000',
  '9999-12-31 23:59:59.999999',
]

const columns = [
  { name: 'a', type: 'timestamp' },
  { name: 'b', type: 'timestamptz' },
] as const

/** @param url Of a directory that contains only the probe. @throws {Error} stating what is wrong */
export async function tryProbe(
  client: TrinoClient,
  tables: TrinoTables,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const name = `probe_${randomBytes(8).toString('hex')}`
  await tables.create(name, { columns, url }, signal)
  try {
    const rows = await client.rows(
      `SELECT CAST(c1 AS varchar), CAST(c2 AS varchar) FROM ${tables.qualified(name)}`,
      signal,
    )
    const seen = rows.map((row) => row.join(' ')).sort()
    const wanted = instants.map((one) => `${one} ${one}`)
    if (seen.join() === wanted.join()) return
    throw new Error('Trino reads other timestamps than were written, wanted hive.parquet.time-zone=UTC in its catalog')
  } finally {
    await tables.drop(name, signal)
  }
}

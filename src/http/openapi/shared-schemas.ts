// Shared schemas: how a file was read, as TypeBox, and the small types that all responses use.
import Type from 'typebox'
import { compressionFormats } from '../../core/receipt.ts'

export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

export function time(description: string) {
  return Type.Integer({ description: `${description} Milliseconds since 1970-01-01 UTC.` })
}

export function orNull(schema: Type.TSchema, description: string) {
  return Type.Union([schema, Type.Null()], { description })
}

/**
 * One of our codes. This is not an `enum`, since a later version may add codes: generated clients would reject a whole
 * response because of a code that they do not know.
 */
export function oneOf(codes: readonly string[], description: string) {
  return Type.String({ description: `${description} Later versions may add others.`, 'x-extensible-enum': [...codes] })
}

export const encoding = Type.Object(
  {
    name: Type.String({ description: 'WHATWG name in lower case, such as `utf-8`.' }),
    bom: Type.Boolean({ description: 'The file begins with a byte order mark.' }),
  },
  { $id: 'Encoding', description: 'The character encoding of the file.' },
)

export const dialect = Type.Object(
  {
    delimiter: Type.String({ description: 'Separates fields.' }),
    quoteChar: orNull(Type.String(), 'Encloses fields; null if none.'),
    doubleQuote: Type.Boolean({ description: 'A quote inside a quoted field is doubled.' }),
    escapeChar: orNull(Type.String(), 'Escapes a quote inside a quoted field instead; null if none.'),
    lineTerminator: Type.String({
      description: 'Ends a record: CR LF, LF or CR; CR CR LF and LF CR are read as CR LF.',
    }),
    header: Type.Boolean({ description: 'The first record of the table holds the column names.' }),
    skipRows: count('Records before the table.'),
    commentChar: orNull(Type.String(), 'Starts a line that is a comment; null if none.'),
    skipInitialSpace: Type.Boolean({ description: 'Spaces after a delimiter are ignored.' }),
    padShortRecords: Type.Optional(
      Type.Boolean({ description: 'Declared: a record with too few fields gets empty ones at its end.' }),
    ),
  },
  { $id: 'Dialect', description: 'How the file was read, as a Frictionless Table Dialect.' },
)

export const tableSchema = Type.Object(
  {},
  { additionalProperties: true, description: 'The declared columns, as a Frictionless Table Schema.' },
)

export const datasetId = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description: 'Identifies the dataset; derived from its content.',
})

export const sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the bytes, in lower-case hex.',
})

export const compression = Type.Object(
  {
    format: Type.Enum([...compressionFormats], { description: 'How the file is compressed.' }),
    bytes: count('Bytes of the text that the file was decompressed to.'),
    sha256,
  },
  {
    description:
      'The text of a compressed file, which was read. Positions (`byteOffset`, `line`) are positions in the text.',
  },
)

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
 * One of our codes. Not an `enum`, since later versions may add codes, and generated clients would reject a whole
 * response because of an unknown one.
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
    declared: Type.Optional(
      Type.Array(Type.Union([Type.Literal('escapeChar'), Type.Literal('lineTerminator')]), {
        description:
          'As declared, and therefore without exception: the escape counts outside quotes, too, and no other is read; an LF alone ends no record.',
      }),
    ),
    padShortRecords: Type.Optional(
      Type.Boolean({ description: 'As declared: records with too few fields are padded with empty ones.' }),
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
    bytes: count('Size of the decompressed text, in bytes.'),
    sha256,
  },
  {
    description: 'The decompressed text of the file. Positions (`byteOffset`, `line`) are positions in this text.',
  },
)

// Shared schemas: how a file was read, as TypeBox, and the small types that all answers are made of.
import Type from 'typebox'

export function count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

export function time(description: string) {
  return Type.Integer({ description: `${description} Milliseconds since 1970-01-01 UTC.` })
}

export function orNull(schema: Type.TSchema, description: string) {
  return Type.Union([schema, Type.Null()], { description })
}

export const encoding = Type.Object(
  {
    name: Type.String({ description: 'WHATWG name in lower case, such as `utf-8`.' }),
    bom: Type.Boolean({ description: 'It begins with a byte order mark.' }),
  },
  { $id: 'Encoding', description: 'How bytes were read as characters.' },
)

export const dialect = Type.Object(
  {
    delimiter: Type.String({ description: 'Stands between fields.' }),
    quoteChar: orNull(Type.String(), 'Stands around fields.'),
    doubleQuote: Type.Boolean({ description: 'A quote in a quoted field is written twice.' }),
    escapeChar: orNull(Type.String(), 'Stands before a quote in a quoted field instead.'),
    lineTerminator: Type.Enum(['\r\n', '\n', '\r'], { description: 'Ends a record.' }),
    header: Type.Boolean({ description: 'The first record of the table names the columns.' }),
    skipRows: count('Records before the table.'),
    commentChar: orNull(Type.String(), 'Begins a line that is no record.'),
    skipInitialSpace: Type.Boolean({ description: 'Spaces behind a delimiter belong to no field.' }),
    padShortRecords: Type.Optional(
      Type.Boolean({ description: 'Stated: fields that a record lacks at its end are empty.' }),
    ),
  },
  { $id: 'Dialect', description: 'How the file was read, in the terms of Frictionless Table Dialect.' },
)

export const tableSchema = Type.Object(
  {},
  { additionalProperties: true, description: 'What was stated of the columns: a Frictionless Table Schema.' },
)

// Package schemas: a dataset as a Frictionless Data Package, as TypeBox.
import Type from 'typebox'
import { count, datasetId } from './shared-schemas.ts'

const packageResource = Type.Object(
  {
    name: Type.Enum(['data', 'original'], { description: 'The accepted records, or the file as received.' }),
    type: Type.Optional(Type.Literal('table', { description: 'It conforms to the schema.' })),
    path: Type.String({ description: 'Relative path of the file.' }),
    title: Type.Optional(Type.String({ description: 'The file name that the client sent.' })),
    format: Type.Literal('csv', { description: 'Always this value.' }),
    mediatype: Type.Literal('text/csv', { description: 'Always this value.' }),
    encoding: Type.String({ description: 'The character encoding.' }),
    compression: Type.Optional(Type.Enum(['gz', 'zst'], { description: 'How the original is compressed.' })),
    bytes: Type.Optional(count('Size in bytes.')),
    hash: Type.Optional(Type.String({ description: '`sha256:` and the SHA-256 of its bytes.' })),
    dialect: Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Dialect.' }),
    schema: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'A Frictionless Table Schema of the columns.' }),
    ),
  },
  { $id: 'DataResource', description: 'A file of the package.' },
)

export const packageAnswer = Type.Object(
  {
    $schema: Type.String({ description: 'The profile of the specification.' }),
    id: datasetId,
    name: Type.String({ description: 'The file name, reduced to letters, digits and `.`, `_`, `-`.' }),
    title: Type.String({ description: 'The file name.' }),
    created: Type.String({ format: 'date-time', description: 'When the dataset was created.' }),
    resources: Type.Array(packageResource, { description: 'The records, and the original.' }),
  },
  { $id: 'DataPackage', description: 'A Frictionless Data Package, version 2.' },
)

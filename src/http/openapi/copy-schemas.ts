// Copy schemas: what the copy routes accept and return, as TypeBox.
import Type from 'typebox'
import { copyModes, copyStates, tableNamePattern } from '../../core/copies/copy-status.ts'
import { count, oneOf, orNull, time } from './shared-schemas.ts'

const key = 'Columns that identify a row; for `upsert` only.'

export const copyBody = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Name of the target: a database that the service was started with (`--copy-target`).',
      examples: ['warehouse'],
    }),
    table: Type.Optional(
      Type.String({
        pattern: tableNamePattern,
        description: 'Table in the schema of the target. Defaults to the table of the target, then to the file name.',
        examples: ['people'],
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...copyModes], {
        description:
          '`replace` replaces the table by a new one, `append` adds the records to it, `upsert` adds them and replaces ' +
          'rows with the same key. Defaults to the mode of the target, then to `replace`.',
      }),
    ),
    key: Type.Optional(
      Type.Array(Type.String({ maxLength: 65_536 }), {
        minItems: 1,
        maxItems: 32,
        description: `${key} Its values must be unique in the table and never null.`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const copyAnswer = Type.Object(
  {
    to: Type.String({ description: 'Name of the target.' }),
    table: Type.String({ description: 'The table.' }),
    mode: oneOf(copyModes, 'How the table was written.'),
    key: Type.Array(Type.String(), { description: key }),
    state: oneOf(copyStates, '`waiting` for its first or next try, `copying`, `done`, or `failed` for good.'),
    tries: count('Tries so far.'),
    records: orNull(count('Records.'), 'Number of records copied; null unless it is done.'),
    problem: orNull(Type.String(), 'Error of the last try; null if there was none.'),
    createdAt: time('When it was requested.'),
    updatedAt: time('When it last changed.'),
  },
  { $id: 'Copy', description: 'The copy of a dataset into a table.' },
)

export const copiesAnswer = Type.Object(
  {
    targets: Type.Array(Type.String(), { description: 'Names of all targets.' }),
    copies: Type.Array(copyAnswer, { description: 'The latest copy into each table, newest first.' }),
  },
  { $id: 'CopyList', description: 'The copies of a dataset.' },
)

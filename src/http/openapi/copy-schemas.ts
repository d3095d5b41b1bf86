// Copy schemas: what the routes of copies take and answer, as TypeBox.
import Type from 'typebox'
import { copyModes, copyStates, tableNamePattern } from '../../core/copies/copy-status.ts'
import { count, oneOf, orNull, time } from './shared-schemas.ts'

const to = 'Name of the target: a database that the operator of the service has named with `--copy-target`.'
const modes =
  '`replace` puts a new table in the place of the old one, `append` adds the records to it, `upsert` adds them and ' +
  'replaces rows with the same key.'
const key = 'Columns that identify a row, with `upsert` only.'

export const copyBody = Type.Object(
  {
    to: Type.String({ minLength: 1, maxLength: 64, description: to, examples: ['warehouse'] }),
    table: Type.Optional(
      Type.String({
        pattern: tableNamePattern,
        description: 'Table in the schema of the target. Without one, that of the target, or one named after the file.',
        examples: ['people'],
      }),
    ),
    mode: Type.Optional(
      Type.Enum([...copyModes], { description: `${modes} Without one, that of the target: \`replace\` at first.` }),
    ),
    key: Type.Optional(
      Type.Array(Type.String({ maxLength: 65_536 }), {
        minItems: 1,
        maxItems: 32,
        description: `${key} Its values are different in every row of the table, and never null.`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const copyAnswer = Type.Object(
  {
    to: Type.String({ description: to }),
    table: Type.String({ description: 'The table.' }),
    mode: oneOf(copyModes, modes),
    key: Type.Array(Type.String(), { description: key }),
    state: oneOf(
      copyStates,
      '`waiting` for its first or next try, `copying`, `done`, or `failed` when it is not tried again.',
    ),
    tries: count('Tries so far.'),
    records: orNull(count('Records.'), 'Records that were copied; null unless it is done.'),
    problem: orNull(Type.String(), 'What the last try met; null if nothing.'),
    createdAt: time('When it was asked for.'),
    updatedAt: time('When anything of it changed last.'),
  },
  { $id: 'Copy', description: 'The copy of a dataset into a table.' },
)

export const copiesAnswer = Type.Object(
  {
    targets: Type.Array(Type.String(), { description: 'Names of the targets that there are.' }),
    copies: Type.Array(copyAnswer, { description: 'The last copy into each table, newest first.' }),
  },
  { $id: 'CopyList', description: 'The copies of a dataset.' },
)

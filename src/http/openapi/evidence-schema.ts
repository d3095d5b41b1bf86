// Evidence schema: why a file was read the way it was, as a receipt shows it: in words, and the figures they are made of.
import Type from 'typebox'
import { count } from './shared-schemas.ts'

const dialectFigures = Type.Object(
  {
    code: Type.String({
      description: 'What decides: `declared`, `named` (by the first line), `best` or `one_column`.',
    }),
    delimiter: Type.String({ description: 'The delimiter.' }),
    width: count('Fields of a record.'),
    fitting: count('Records of the first megabyte with as many fields.'),
    records: count('Records of the first megabyte.'),
    next: Type.Optional(
      Type.Object(
        {
          delimiter: Type.String({ description: 'The delimiter that is second.' }),
          percent: count('How good a table it makes, in percent of the best.'),
        },
        { description: 'Absent if no other delimiter makes a table.' },
      ),
    ),
  },
  { description: 'About delimiter and width.' },
)

const headerFigures = Type.Object(
  {
    code: Type.String({
      description:
        'What decides: the votes of the `columns`, or else `declared`, `years`, `counting`, `alone`, `delimited`, `width`, `groups`, `channels`, `quoted` or `empty`.',
    }),
    typed: count('Columns that have a type only below a header.'),
    unlike: count('Columns in which the first value has another type or shape than those below.'),
    like: count('Columns in which the first value looks like those below.'),
    isUncertain: Type.Boolean({ description: 'The first record may be either.' }),
    lines: Type.Array(Type.Integer(), { description: 'Lines of the header; empty if there is none.' }),
  },
  { description: 'About the header.' },
)

export const evidence = Type.Object(
  {
    encoding: Type.String({ description: 'Evidence for the encoding.' }),
    dialect: Type.String({ description: 'Evidence for the dialect.' }),
    header: Type.String({ description: 'Why the first record is, or is not, a header.' }),
    figures: Type.Object(
      { dialect: dialectFigures, header: headerFigures },
      { $id: 'EvidenceFigures', description: 'What the sentences are made of.' },
    ),
  },
  { $id: 'Evidence', description: 'Why the file was read this way.' },
)

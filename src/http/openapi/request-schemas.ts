// Request schemas: what each route takes, as TypeBox. The sources of both the checks and the description of the routes.
import Type from 'typebox'
import examples from './examples.json' with { type: 'json' }
import { type Header, header, type RequestBody } from './operation.ts'

/** The dataset of the examples; they are made anew with `npm run docs`. */
const shownId = (examples as { readonly uploadCsv?: { readonly id?: string } }).uploadCsv?.id ?? '0'.repeat(32)

const offset = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 0,
  description: 'How many to pass over.',
})

function limit(standard: number, maximum: number) {
  return Type.Integer({ minimum: 1, maximum, default: standard, description: 'How many to give at most.' })
}

function text(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, description })
}

/** An id that could exist; any other is answered like one that does not. */
export const datasetParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description: 'The dataset: `id` of its receipt.',
    examples: [shownId],
  }),
})

/** A part that could exist; any other is answered like a path that does not. */
export const partParams = Type.Object({
  id: datasetParams.properties.id,
  index: Type.Integer({
    minimum: 0,
    maximum: 999_999,
    description: 'Its place among `parts` of the receipt, from 0.',
    examples: [0],
  }),
})

export const listQuery = Type.Object({
  limit: limit(100, 1_000),
  after: Type.Optional(text(500, 'The `after` of the page before.')),
  name: Type.Optional(text(255, 'Only datasets whose file name contains this.')),
})

export const rowsQuery = Type.Object({
  offset,
  limit: limit(100, 10_000),
  columns: Type.Optional(
    text(
      16_000,
      'Names of the columns wanted, with commas between them; in quotes, as in a CSV, where a name has a comma.',
    ),
  ),
})

export const rejectsQuery = Type.Object({ offset, limit: limit(100, 10_000) })

export const csvQuery = Type.Object({
  header: Type.Boolean({ default: false, description: 'Begin with the column names.' }),
  spreadsheet: Type.Boolean({
    default: false,
    description:
      'Put an apostrophe before what a spreadsheet program would take for a formula: cells that begin with `=`, `+`, ' +
      '`-`, `@` (also in full width), a tab or a line end, except numbers such as `-5` and `+3.2`.',
  }),
})

/** What `dialect` may hold is for the service to say: it reads the same thing as a part of an upload. */
export const readingBody = Type.Object(
  {
    dialect: Type.Optional(
      Type.Unknown({
        description: 'What is known of the file, as Frictionless Table Dialect; what it leaves out is found out.',
        examples: [{ delimiter: ';', header: false }],
      }),
    ),
    schema: Type.Optional(
      Type.Unknown({
        description: 'What is known of its columns, as Frictionless Table Schema; records that break it are rejected.',
        examples: [{ fields: [{ name: 'id', type: 'integer', constraints: { required: true } }] }],
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)

export const queryBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'One SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SUMMARIZE, SHOW or PIVOT, over the table `data`.',
      examples: ['SELECT count(*) AS records FROM data'],
    }),
  },
  { additionalProperties: false },
)

export const noQuery = Type.Object({})

/** Read from the stream by the service itself: Fastify checks nothing of it. */
export const uploadBody: RequestBody = {
  description:
    'Any `multipart/*` type with a boundary will do. The part `file` is the file; parts that say how to read it stand ' +
    'before it. A part that is none of these is passed over.',
  required: true,
  content: {
    'multipart/form-data': {
      schema: Type.Object({
        dialect: Type.Optional(
          Type.String({
            contentMediaType: 'application/json',
            maxLength: 65_536,
            description:
              'What is known of the file, as the JSON of a Frictionless Table Dialect; the rest is found out.',
            examples: ['{"delimiter":";","header":false}'],
          }),
        ),
        schema: Type.Optional(
          Type.String({
            contentMediaType: 'application/json',
            maxLength: 2_097_152,
            description:
              'What is known of its columns, as the JSON of a Frictionless Table Schema; records that break it are rejected.',
            examples: ['{"fields":[{"name":"id","type":"integer"},{"name":"price","type":"number"}]}'],
          }),
        ),
        file: Type.String({
          format: 'binary',
          minLength: 1,
          description: 'The CSV, in any encoding but EBCDIC. The content type of the part means nothing.',
        }),
      }),
      encoding: { dialect: { contentType: 'text/plain, application/json' }, file: { contentType: '*/*' } },
    },
  },
}

const someTag = '"acb57c3e109c84a7f2e958b7442014f099867e7ef31ca454a2145fd57325688f"'

export const rangeHeaders: Readonly<Record<string, Header>> = {
  Range: header('One range of bytes; several are answered with the whole.', 'bytes=0-9', false),
  'If-Range': header('The `ETag` for which the range is meant; with another the whole is sent.', someTag, false),
  'If-None-Match': header('An `ETag` that the client has.', someTag, false),
}

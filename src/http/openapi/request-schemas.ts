// Request schemas: what each route accepts, as TypeBox. Both the validation and the description of the routes use them.
import Type from 'typebox'
import { copyModes, tableNamePattern } from '../../core/copies/copy-status.ts'
import { type Mend, mends } from '../../core/correction-rules.ts'
import { rejectReasons } from '../../core/reject-reasons.ts'
import examples from './examples.json' with { type: 'json' }
import { type Header, header, octetStream, type RequestBody } from './operation.ts'
import { component, copyKey, flag, oneOf, text as textOf } from './response-schemas.ts'

const shownId = (examples as { readonly Receipt?: { readonly id?: string } }).Receipt?.id ?? '0'.repeat(32)

/** The id of the upload in the recorded examples, see test/api/session.ts. */
const shownUploadId = '019aa1b2-4c80-7000-8000-0123456789ab'

const offset = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  default: 0,
  description: 'Number of items to skip.',
})

function limit(standard: number, maximum: number) {
  return Type.Integer({ minimum: 1, maximum, default: standard, description: 'Maximum number of items to return.' })
}

function text(maxLength: number, description: string) {
  return Type.String({ minLength: 1, maxLength, description })
}

/** A well-formed id. A malformed one gets the same response as an unknown one. */
export const datasetParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description: 'The `id` of the receipt.',
    examples: [shownId],
  }),
})

/** A well-formed part number. A malformed one gets the same response as an unknown path. */
export const partParams = Type.Object({
  id: datasetParams.properties.id,
  index: Type.Integer({
    minimum: 0,
    maximum: 999_999,
    description: 'Index in `parts` of the receipt, from 0.',
    examples: [0],
  }),
})

/** A well-formed id. A malformed one gets the same response as an unknown one. */
export const uploadParams = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    description: 'The `id` of the upload: `upload.id` in a receipt, or `id` in the list.',
    examples: [shownUploadId],
  }),
})

export const uploadHeaders: Readonly<Record<string, Header>> = {
  'Idempotency-Key': header(
    'Any text of 1 to 255 characters that you use for this file only. Sending the same request again within 24 hours ' +
      'returns the same response.',
    '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
  ),
}

export const uploadsQuery = Type.Object({
  idempotencyKey: Type.Optional(text(255, 'Only uploads with this `Idempotency-Key`.')),
  limit: limit(100, 1_000),
  after: Type.Optional(text(100, 'The `after` of the previous page.')),
})

export const eventsQuery = Type.Object({
  seconds: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    default: 3_600,
    description: 'When the response ends, for the client to connect anew.',
  }),
})

export const listQuery = Type.Object({
  limit: limit(100, 1_000),
  after: Type.Optional(text(2_000, 'The `after` of the previous page, for the same `sort` and `order`.')),
  name: Type.Optional(text(255, 'Only datasets with this text in a file name under which they were uploaded.')),
  search: Type.Optional(text(255, 'Only datasets with this text in such a file name, or in the name of a column.')),
  id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{1,32}$',
      description: 'Only datasets whose id begins with these hexadecimal digits, in lower case.',
    }),
  ),
  rejects: Type.Optional(Type.Enum(['open'], { description: 'Only datasets with rejects that are not dismissed.' })),
  since: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only datasets created at this time or later. Milliseconds since 1970-01-01 UTC.',
    }),
  ),
  mine: Type.Boolean({ default: false, description: 'Only datasets that this key or token was the first to send.' }),
  origin: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Only versions of one file, by `origin.id`.' }),
  ),
  versions: Type.Optional(Type.Enum(['latest'], { description: 'Only the newest version of each file.' })),
  sort: Type.Enum(['createdAt', 'name', 'rows', 'rejects', 'bytes'], {
    default: 'createdAt',
    description: 'What to sort by. In the trash, `createdAt` is the time at which a dataset was put there.',
  }),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], { description: 'Defaults to `asc` for names and to `desc` for all others.' }),
  ),
})

export const removalQuery = Type.Object({
  trash: Type.Optional(
    Type.Enum(['', 'true', 'false'], {
      description: 'Move it to the trash, from which it can be restored for the time of `--keep-trash-for`.',
    }),
  ),
})

export const rowsQuery = Type.Object({
  offset,
  limit: limit(100, 10_000),
  columns: Type.Optional(
    text(16_000, 'Names of the columns to return, separated by commas. Quote a name that contains a comma, as in CSV.'),
  ),
})

export const rejectsQuery = Type.Object({
  offset,
  limit: limit(100, 10_000),
  reason: Type.Optional(Type.Enum([...rejectReasons], { description: 'Only rejects with this reason.' })),
})

export const csvQuery = Type.Object({
  header: Type.Boolean({
    default: false,
    description:
      'Write the column names as the first line even if the file has no header. A header in the file is always written.',
  }),
  spreadsheet: Type.Enum(['false', 'true', 'excel'], {
    default: 'false',
    description:
      '`true` escapes formulas: it puts an apostrophe before cells that begin with `=`, `+`, `-`, `@` (full width too), ' +
      'a tab or a line end, except numbers such as `-5` and `+3.2` and values in columns of numbers and dates. ' +
      '`excel` also writes a byte order mark first, so that Excel reads UTF-8.',
  }),
  delimiter: Type.Enum([',', ';', 'tab'], {
    default: ',',
    description:
      'What to write between fields. Excel expects `;` in locales with a decimal comma. Numbers are written as in the ' +
      'file.',
  }),
  typed: Type.Boolean({
    default: false,
    description:
      'Write typed values instead of the text of the file: dates in ISO 8601, numbers with a decimal point, booleans as ' +
      '`true` and `false`, nothing for null and `""` for an empty text. In a file of one column, null is `""`, too, ' +
      'because readers skip an empty line. Databases can import this, for example PostgreSQL with `\\copy` (one ' +
      'column: with `FORCE_NULL`). Cannot be combined with `spreadsheet`.',
  }),
})

export const annotatedQuery = Type.Pick(csvQuery, ['spreadsheet', 'delimiter'])

/** The service itself validates `dialect` and `schema`, which can also arrive as parts of an upload. */
export const readingBody = Type.Object(
  {
    dialect: Type.Optional(
      Type.Unknown({
        description: 'The format of the file, as a Frictionless Table Dialect. Anything you omit is detected.',
        examples: [{ delimiter: ';', header: false }],
      }),
    ),
    schema: Type.Optional(
      Type.Unknown({
        description:
          'The columns, as a Frictionless Table Schema. Records that violate it are rejected, also those whose ' +
          '`primaryKey` or `unique` value an earlier record has.',
        examples: [{ fields: [{ name: 'id', type: 'integer' }], primaryKey: ['id'] }],
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)

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
        description: `${copyKey} Its values must be unique in the table and never null.`,
      }),
    ),
  },
  { additionalProperties: false },
)

export const queryBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        'One SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SUMMARIZE, SHOW or PIVOT statement over the table `data`.',
      examples: ['SELECT count(*) AS records FROM data'],
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'The most rows of the result, if fewer than the service allows.',
      }),
    ),
  },
  { additionalProperties: false },
)

const someTag = '"acb57c3e109c84a7f2e958b7442014f099867e7ef31ca454a2145fd57325688f"'

/** Request headers for everything that has an `ETag`. */
export const conditionHeaders: Readonly<Record<string, Header>> = {
  'If-Match': header('Send it only if the `ETag` equals this.', someTag),
  'If-None-Match': header('The `ETag` that the client already has.', someTag),
}

/** Request headers for the status of an upload. */
export const waitHeaders: Readonly<Record<string, Header>> = {
  Prefer: header(
    '`wait=N`: respond when the status differs from the one in `If-None-Match` or, without that header, when the ' +
      'upload has ended, but after N seconds (at most 60) in any case.',
    'wait=20',
  ),
  ...conditionHeaders,
}

export const noQuery = Type.Object({})

/** The service reads this from the stream; Fastify does not validate it. */
export const uploadBody: RequestBody = {
  description:
    'Any `multipart/*` type with a boundary. Send the file as the part `file`, with a file name, after the parts ' +
    'that say how to read it. Unknown parts are ignored.',
  required: true,
  content: {
    'multipart/form-data': {
      schema: Type.Object({
        dialect: Type.Optional(
          Type.String({
            contentMediaType: 'application/json',
            maxLength: 65_536,
            description:
              'The format of the file, as the JSON of a Frictionless Table Dialect. Anything you omit is detected.',
            examples: ['{"delimiter":";","header":false}'],
          }),
        ),
        schema: Type.Optional(
          Type.String({
            contentMediaType: 'application/json',
            maxLength: 2_097_152,
            description:
              'The columns, as the JSON of a Frictionless Table Schema. Records that violate it are rejected.',
            examples: ['{"fields":[{"name":"id","type":"integer"},{"name":"price","type":"number"}]}'],
          }),
        ),
        file: Type.String({
          format: 'binary',
          minLength: 1,
          description: 'The CSV, in any encoding, including EBCDIC. The content type of the part is ignored.',
        }),
      }),
      encoding: { dialect: { contentType: 'text/plain, application/json' }, file: { contentType: '*/*' } },
    },
  },
}

/** Read from the stream, too. */
export const fileBody: RequestBody = {
  description: 'The file itself.',
  required: true,
  content: { [octetStream]: { schema: Type.String({ format: 'binary' }) } },
}

const mendWords: Readonly<Record<Mend, string>> = {
  append: 'adds the fields that are missing at the end, empty',
  drop: 'drops surplus fields at the end that are empty',
  quote: 'closes an open quote where the other columns follow, or puts the whole field in quotes',
  join: 'joins the record with the reject after it, which stays listed as rejected',
  replace: '`text` by `with` in the value',
  trim: 'drops blanks around the value',
  null: 'makes the value null',
  leave: 'leaves the records rejected, whatever later rules say',
}

const correctionRule = component('CorrectionRule', 'One mend for all rejects of one cause.', {
  reason: oneOf(rejectReasons, 'The cause: why the records were rejected.'),
  column: Type.Optional(textOf('The name of the column that the cause points at, and that is mended; any if absent.')),
  mend: oneOf(
    mends,
    `${Object.entries(mendWords)
      .map(([mend, words]) => `\`${mend}\` ${words}`)
      .join('; ')}.`,
  ),
  text: Type.Optional(textOf('Only for `replace`, which needs it.')),
  with: Type.Optional(
    textOf('For `replace`, which needs it; for `join`, what stands between the lines instead of a space.'),
  ),
  whole: Type.Optional(flag('Only for `replace`: whether it takes whole values only.')),
})

/**
 * The service reads this from the stream, too. The file itself as the body is left out, since generators create no
 * client for it.
 */
export const correctionBody: RequestBody = {
  description:
    '`rejects.csv` with edited text, as a part of a form or as the whole body with the type `text/csv`. Only the columns ' +
    '`record` and `text` count. Records that you leave out, or whose text is empty or unchanged, stay rejects. Or, as ' +
    '`application/x-ndjson`, lines of JSON: texts (`{"record", "text"}`) and [rules](#correctionrule) ' +
    '(`{"reason", "mend"}`) in any order. A text overrides rules, and a rule overrides later ones.',
  required: true,
  content: {
    'multipart/form-data': {
      schema: Type.Object({
        file: Type.String({ format: 'binary', minLength: 1, description: 'The edited file, in UTF-8 or UTF-16.' }),
      }),
    },
    'application/x-ndjson': { schema: correctionRule },
  },
}

export const rangeHeaders: Readonly<Record<string, Header>> = {
  Range: header('One range of bytes. A request for several gets the whole file.', 'bytes=0-9'),
  'If-Range': header('Send the range only if the `ETag` equals this, otherwise the whole file.', someTag),
  ...conditionHeaders,
}

// Schemas: what each route takes, as TypeBox. The sources of both the checks and the description of the routes.
import Type from 'typebox'

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
export const datasetParams = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{32}$' }) })

export const listQuery = Type.Object({
  limit: limit(100, 1_000),
  after: Type.Optional(text(500, 'The `after` of the page before.')),
  name: Type.Optional(text(255, 'Only datasets whose file name contains this.')),
})

export const rowsQuery = Type.Object({
  offset,
  limit: limit(100, 10_000),
  columns: Type.Optional(text(16_000, 'Names of the columns wanted, with commas between them.')),
})

export const rejectsQuery = Type.Object({ offset, limit: limit(100, 10_000) })

export const csvQuery = Type.Object({
  header: Type.Boolean({ default: false, description: 'Begin with the column names.' }),
})

/** What `dialect` may hold is for the service to say: it reads the same thing as a part of an upload. */
export const readingBody = Type.Object({ dialect: Type.Unknown() }, { additionalProperties: false })

export const noQuery = Type.Object({})

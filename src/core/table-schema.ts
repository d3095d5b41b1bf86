// Table schema: the columns a client declared, as stored in the receipt (Frictionless Table Schema, version 2).

export const fieldTypes = [
  'any',
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'time',
  'datetime',
  'year',
  'yearmonth',
  'duration',
  'object',
  'array',
] as const
export type FieldType = (typeof fieldTypes)[number]

/**
 * How fields are matched to columns: `exact` by order, the others by name. With `subset` and `partial` the file may have
 * columns that the schema lacks; with `superset` and `partial` the schema may have fields that the file lacks.
 */
export const fieldsMatches = ['exact', 'equal', 'subset', 'superset', 'partial'] as const
export type FieldsMatch = (typeof fieldsMatches)[number]

export type JsonScalar = string | number | boolean

export interface FieldConstraints {
  readonly required?: true
  readonly unique?: true
  readonly minimum?: JsonScalar
  readonly maximum?: JsonScalar
  readonly exclusiveMinimum?: JsonScalar
  readonly exclusiveMaximum?: JsonScalar
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly enum?: readonly JsonScalar[]
}

/** A field as declared, without defaults and without members that do not affect reading (such as titles). */
export interface TableField {
  readonly name: string
  /** Our extension: of a column that the dataset calls otherwise. */
  readonly nameInFile?: string
  readonly type: FieldType
  readonly format?: string
  readonly decimalChar?: string
  readonly groupChar?: string
  readonly trueValues?: readonly string[]
  readonly falseValues?: readonly string[]
  readonly missingValues?: readonly string[]
  readonly categories?: readonly JsonScalar[]
  readonly constraints?: FieldConstraints
}

/** Two declarations that mean the same are equal as JSON. */
export interface TableSchema {
  readonly fields: readonly TableField[]
  readonly fieldsMatch?: FieldsMatch
  readonly missingValues?: readonly string[]
  /** Names of fields. */
  readonly primaryKey?: readonly string[]
}

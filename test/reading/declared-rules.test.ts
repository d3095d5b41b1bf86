// Tests of the missing values and constraints of docs/schema.md: for each sentence, texts that keep and break it, written
// by hand.
import { testResponses } from '../support/declared-answers.ts'

testResponses({
  'missing values: by default the empty string, quoted or not': {
    field: { type: 'string' },
    column: 'text',
    keeps: ' → null · "" → null · NA · " " →  ',
  },
  'missing values of the schema': {
    field: { type: 'integer' },
    missingValues: ['-', '999'],
    column: 'integer',
    keeps: '- → null · "999" → null · 0999 → 999',
    breaks: { 'type integer': ' · ""' },
  },
  'missing values of the field instead of those of the schema': {
    field: { type: 'integer', missingValues: ['x'] },
    missingValues: ['', '-'],
    column: 'integer',
    keeps: 'x → null · "x" → null · 1',
    breaks: { 'type integer': '- ·  · X' },
  },
  'missing values without the empty string': {
    field: { type: 'string', missingValues: ['NA'] },
    column: 'text',
    keeps: ' · "" →  · NA → null · "NA" → null',
  },
  'no missing values': {
    field: { type: 'any', missingValues: [] },
    column: 'text',
    keeps: ' · NA',
  },
  'missing values that are also values': {
    field: { type: 'boolean', missingValues: ['0', 'true'] },
    column: 'boolean',
    keeps: '0 → null · true → null · 1 → true · false',
    breaks: { 'type boolean': '' },
  },
  'required: not null': {
    field: { type: 'integer', missingValues: ['', 'NA'], constraints: { required: true } },
    column: 'integer',
    keeps: '0',
    breaks: { required: ' · "" · NA', 'type integer': 'x' },
  },
  'required: an empty string that is not missing is a value': {
    field: { type: 'string', missingValues: ['NA'], constraints: { required: true } },
    column: 'text',
    keeps: ' · "" → ',
    breaks: { required: 'NA' },
  },
  'minimum and maximum of integers': {
    field: { type: 'integer', constraints: { minimum: -5, maximum: 10 } },
    column: 'integer',
    keeps: '-5 · 10 · 010 → 10',
    breaks: { 'minimum -5': '-6', 'maximum 10': '11' },
  },
  'exclusive bounds of integers': {
    field: { type: 'integer', constraints: { exclusiveMinimum: -5, exclusiveMaximum: 10 } },
    column: 'integer',
    keeps: '-4 · 9',
    breaks: { 'exclusiveMinimum -5': '-5', 'exclusiveMaximum 10': '10' },
  },
  'bounds of numbers, by value': {
    field: { type: 'number', constraints: { minimum: '0.10', exclusiveMaximum: 1000 } },
    column: 'number',
    keeps: '0.1 · 999.99 · 1e-1 → 0.1',
    breaks: { 'minimum 0.10': '0.09 · -1', 'exclusiveMaximum 1000': '1000 · 1e3' },
  },
  'bounds beyond 2^53 as strings': {
    field: { type: 'integer', constraints: { maximum: '9007199254740993' } },
    column: 'integer',
    keeps: '9007199254740993',
    breaks: { 'maximum 9007199254740993': '9007199254740994' },
  },
  'bounds of numbers that have their double': {
    field: { type: 'number', constraints: { minimum: '9007199254740993', maximum: '9007199254741000' } },
    column: 'decimal(38,0)',
    keeps: '9007199254740993 · 9007199254741000',
    breaks: {
      'minimum 9007199254740993': '9007199254740992 · 9007199254740991',
      'maximum 9007199254741000': '9007199254741001 · 9007199254741002',
    },
  },
  'bounds of few digits beyond 2^53': {
    field: { type: 'number', constraints: { exclusiveMaximum: '1e16' } },
    column: 'decimal(38,0)',
    keeps: '9999999999999998 · 9999999999999999',
    breaks: { 'exclusiveMaximum 1e16': '10000000000000000' },
  },
  'listed numbers of few digits beyond 2^53': {
    field: { type: 'number', constraints: { enum: ['9007199254741000'] } },
    column: 'number',
    keeps: '9007199254741000 · 9007199254741e3 → 9007199254741000',
    breaks: { 'enum 9007199254741000': '9007199254741001' },
  },
  'bounds of dates, as strings in the format of the field': {
    field: { type: 'date', format: '%d/%m/%Y', constraints: { minimum: '01/01/2024', maximum: '31/12/2024' } },
    column: 'date',
    keeps: '1/1/2024 → 2024-01-01 · 31/12/2024 → 2024-12-31',
    breaks: { 'minimum 2024-01-01': '31/12/2023', 'maximum 2024-12-31': '01/01/2025' },
  },
  'bounds of times': {
    field: { type: 'time', constraints: { minimum: '08:00:00', exclusiveMaximum: '12:00:00' } },
    column: 'time',
    keeps: '08:00:00 · 11:59:59.999999',
    breaks: { 'minimum 08:00:00': '07:59:59.999999', 'exclusiveMaximum 12:00:00': '12:00:00' },
  },
  'bounds of datetimes: without an offset in UTC': {
    field: { type: 'datetime', constraints: { minimum: '2024-01-01T01:00:00+01:00', maximum: '2024-01-02T00:00:00' } },
    column: 'timestamptz',
    keeps: '2024-01-01T00:00:00Z · 2024-01-02T02:00:00+02:00 → 2024-01-02T00:00:00Z',
    breaks: {
      'minimum 2024-01-01T01:00:00+01:00': '2023-12-31T23:59:59Z',
      'maximum 2024-01-02T00:00:00': '2024-01-02T00:00:00.000001Z',
    },
  },
  'bounds of datetimes whose values have no offset': {
    field: { type: 'datetime', constraints: { exclusiveMinimum: '2024-01-01T01:00:00+01:00' } },
    column: 'timestamp',
    keeps: '2024-01-01T00:00:01 → 2024-01-01 00:00:01',
    breaks: { 'exclusiveMinimum 2024-01-01T01:00:00+01:00': '2024-01-01T00:00:00' },
  },
  'bounds of years': {
    field: { type: 'year', constraints: { minimum: -44, maximum: 2024 } },
    column: 'integer',
    keeps: '-0044 → -44 · 2024',
    breaks: { 'minimum -44': '-0045', 'maximum 2024': '2025' },
  },
  'bounds of months': {
    field: { type: 'yearmonth', constraints: { exclusiveMinimum: '2023-12', maximum: '2024-06' } },
    column: 'text',
    keeps: '2024-01 · 2024-06',
    breaks: { 'exclusiveMinimum 2023-12': '2023-12', 'maximum 2024-06': '2024-07' },
  },
  'lengths in characters': {
    field: { type: 'string', constraints: { minLength: 2, maxLength: 3 } },
    column: 'text',
    keeps: 'ab · äöü · 😀😀 · éx',
    breaks: { 'minLength 2': 'a · 😀', 'maxLength 3': 'abcd · éxy' },
  },
  'pattern: the whole text, in the syntax of RE2': {
    field: { type: 'string', constraints: { pattern: '\\p{Lu}[a-z]+|\\d{2,3}' } },
    column: 'text',
    keeps: 'Abc · Éa · 12 · 123',
    breaks: { 'pattern \\p{Lu}[a-z]+|\\d{2,3}': 'abc · Abc1 ·  Abc · 1 · 1234 · xAbc' },
  },
  'pattern: a point is any character but a line end': {
    field: { type: 'string', constraints: { pattern: 'a.b' } },
    column: 'text',
    keeps: 'a-b · a😀b',
    breaks: { 'pattern a.b': 'ab · a--b · "a\nb"' },
  },
  'enum of texts': {
    field: { type: 'string', constraints: { enum: ['a', "it's", 'é'] } },
    column: 'text',
    keeps: "a · it's · é",
    breaks: { "enum a, it's, é": 'A · a  · e' },
  },
  'enum of integers, by value': {
    field: { type: 'integer', constraints: { enum: [1, '-2'] } },
    column: 'integer',
    keeps: '01 → 1 · +1 → 1 · -2',
    breaks: { 'enum 1, -2': '2 · 10' },
  },
  'enum of numbers, by value': {
    field: { type: 'number', constraints: { enum: [0.5, '10', '1e3'] } },
    column: 'number',
    keeps: '.5 → 0.5 · 0.50 → 0.5 · 1e1 → 10 · 1000.0 → 1000',
    breaks: { 'enum 0.5, 10, 1e3': '0.51 · 100' },
  },
  'enum of booleans, by value': {
    field: { type: 'boolean', trueValues: ['ja', 'J'], falseValues: ['nein'], constraints: { enum: ['ja'] } },
    column: 'boolean',
    keeps: 'ja → true · J → true',
    breaks: { 'enum true': 'nein' },
  },
  'enum of dates, by value': {
    field: { type: 'date', format: '%d/%m/%Y', constraints: { enum: ['31/12/2024', '1/2/2024'] } },
    column: 'date',
    keeps: '31/12/2024 → 2024-12-31 · 01/02/2024 → 2024-02-01',
    breaks: { 'enum 2024-12-31, 2024-02-01': '30/12/2024' },
  },
  'enum of datetimes, by value': {
    field: { type: 'datetime', constraints: { enum: ['2024-01-01T00:00:00Z'] } },
    column: 'timestamptz',
    keeps: '2024-01-01T01:00:00+01:00 → 2024-01-01T00:00:00Z',
    breaks: { 'enum 2024-01-01T00:00:00Z': '2024-01-01T01:00:00Z' },
  },
  'enum of any and of durations, as texts': {
    field: { type: 'duration', constraints: { enum: ['P1D', 'PT24H'] } },
    column: 'text',
    keeps: 'P1D · PT24H',
    breaks: { 'enum P1D, PT24H': 'P01D · PT1H' },
  },
  'categories, by value': {
    field: { type: 'integer', categories: [{ value: 1, label: 'one' }, 2] },
    column: 'integer',
    keeps: '1 · 02 → 2',
    breaks: { 'categories 1, 2': '3' },
  },
  'categories of strings': {
    field: { type: 'string', categories: ['a', 'b'] },
    column: 'text',
    keeps: 'a · b',
    breaks: { 'categories a, b': 'c · A' },
  },
  'several rules: the first one that is violated': {
    field: {
      type: 'integer',
      categories: [1, 5, 9],
      constraints: { required: true, minimum: 2, maximum: 8, enum: [5, 7] },
    },
    column: 'integer',
    keeps: '5',
    breaks: { required: '', 'type integer': 'x', 'categories 1, 5, 9': '7', 'minimum 2': '1', 'maximum 8': '9' },
  },
})

// Tests of the types of docs/schema.md: for each sentence, texts with the values that they are, written by hand.
import { testResponses } from '../support/declared-answers.ts'

testResponses({
  'any: every text': {
    field: { type: 'any' },
    column: 'text',
    keeps: '007 · 1e400 · true ·  x  · 2024-01-01 · é€😀 · - · NA · "a""b" → a"b',
  },
  'no type: every text': {
    field: {},
    column: 'text',
    keeps: '007 · NULL · \\N · +1 · 0x1f',
  },
  'string: every text': {
    field: { type: 'string' },
    column: 'text',
    keeps: '007 · nan ·   · 1.5',
  },
  'string: uuid is checked': {
    field: { type: 'string', format: 'uuid' },
    column: 'text',
    keeps: '0195d9b2-7c2e-7000-8000-00000000000f · 0195D9B2-7C2E-7000-8000-00000000000F',
    breaks: {
      'type string':
        '0195d9b2-7c2e-7000-8000-00000000000 · 0195d9b2-7c2e-7000-8000-00000000000g · {0195d9b2-7c2e-7000-8000-00000000000f} ·  ',
    },
  },
  'integer: digits with an optional sign and leading zeros': {
    field: { type: 'integer' },
    column: 'integer',
    keeps:
      '0 · -0 → 0 · +0 → 0 · 7 · -7 · +7 → 7 · 007 → 7 · -007 → -7 · 000000000000000000000012 → 12 ·  7 → 7 · 8  → 8',
    breaks: { 'type integer': '1. · 1.0 · 1e3 · - 7 · --7 · + · - · 1 000 · 1_000 · ٣ · 0x1f · seven' },
  },
  'integer: groupChar between any two digits': {
    field: { type: 'integer', groupChar: "'" },
    column: 'integer',
    keeps: "1'234 → 1234 · 1'2'3'4 → 1234 · 1234 · -12'34 → -1234 · 0'0'7 → 7",
    breaks: { 'type integer': "'1 · 1' · 1''2 · -'1 · 1.2 · 1 2" },
  },
  'integer: 64 bits': {
    field: { type: 'integer' },
    column: 'integer',
    keeps: '9223372036854775807 · -9223372036854775808 · 9007199254740993',
    breaks: { 'type integer …': '9223372036854775808 · -9223372036854775809 · 99999999999999999999999999' },
  },
  'number: digits with or without a point, a sign, an exponent': {
    field: { type: 'number' },
    column: 'number',
    keeps:
      '1 · 1.5 · -1.5 · +1.5 → 1.5 · 1e3 → 1000 · 1E-2 → 0.01 · 1e+2 → 100 · 5. → 5 · .5 → 0.5 · -.5 → -0.5 · 007.50 → 7.5 · 5.e1 → 50 · 0e0 → 0 · 5e-324',
    breaks: { 'type number': '. · - · e5 · 1e · 1e+ · 1e1.5 · 1.2.3 · "1,5" · 1 000 · 0x1f · 1f · x' },
  },
  'number: decimalChar': {
    field: { type: 'number', decimalChar: ',' },
    column: 'number',
    keeps: '"1,5" → 1.5 · "-0,25" → -0.25 · "1,5e2" → 150 · 7 · ",5" → 0.5 · "5," → 5',
    breaks: { 'type number': '1.5 · "1,2,3"' },
  },
  'number: groupChar': {
    field: { type: 'number', groupChar: ' ' },
    column: 'number',
    keeps: '1 234.5 → 1234.5 ·  1  → 1 · 1 2 3 → 123 · 1 234 567 → 1234567',
    breaks: { 'type number': '1  2 · 1.2 3 · 1 .5' },
  },
  'number: any character as decimal and as group': {
    field: { type: 'number', decimalChar: '·', groupChar: '_' },
    column: 'number',
    keeps: '1_234·5 → 1234.5 · ·5 → 0.5 · 12',
    breaks: { 'type number': '1.5 · 1·5·5 · 1·5_5' },
  },
  'number: a decimal if all numbers have as many places': {
    field: { type: 'number' },
    column: 'decimal(9,2)',
    keeps: '1.50 · -200.25 · 0.05',
    breaks: { 'type number': 'x · 7.5.0' },
  },
  'number: a decimal if a double would lose digits': {
    field: { type: 'number' },
    column: 'decimal(38,2)',
    keeps: '12345678901234567.25 · 0.5 → 0.50 · 7 → 7.00',
  },
  'number: otherwise number': {
    field: { type: 'number' },
    column: 'number',
    keeps: '1.5 · 1.25',
  },
  'boolean: the standard words': {
    field: { type: 'boolean' },
    column: 'boolean',
    keeps:
      'true · True → true · TRUE → true · 1 → true · false · False → false · FALSE → false · 0 → false · true  → true',
    breaks: { 'type boolean': 'tRUE · yes · no · t · 01 · 1.0 · 2' },
  },
  'boolean: trueValues and falseValues': {
    field: { type: 'boolean', trueValues: ['ja', '✓'], falseValues: ['nein'] },
    column: 'boolean',
    keeps: 'ja → true · ✓ → true · nein → false',
    breaks: { 'type boolean': 'true · false · Ja · 0' },
  },
  'date: ISO 8601': {
    field: { type: 'date' },
    column: 'date',
    keeps: '2024-02-29 · 0001-01-01 · 9999-12-31',
    breaks: {
      'type date':
        '2023-02-29 · 2024-13-01 · 2024-1-1 · 20240101 · 2024-01-01T00:00:00 · 0000-01-01 · 24-01-01 · 10000-01-01',
    },
  },
  'time: hh:mm:ss with up to six decimal places': {
    field: { type: 'time' },
    column: 'time',
    keeps: '00:00:00 · 23:59:59 · 12:00:00.5 · 12:00:00.123456',
    breaks: {
      'type time': '12:00 · 24:00:00 · 12:60:00 · 12:00:60 · 1:00:00 · 12:00:00.1234567 · 12:00:00. · 12:00:00Z',
    },
  },
  'datetime: ISO 8601 with T or a space': {
    field: { type: 'datetime' },
    column: 'timestamp',
    keeps:
      '2024-01-01T00:00:00 → 2024-01-01 00:00:00 · 2024-01-01 12:30:00.25 · 2024-01-01T12:30 → 2024-01-01 12:30:00',
    breaks: {
      'type datetime':
        '2024-01-01 · 2024-01-01t00:00:00 · 2024-01-01  00:00:00 · 2023-02-29T00:00:00 · 2024-01-01T24:00:00 · now',
    },
  },
  'datetime: timestamptz if the values have offsets': {
    field: { type: 'datetime' },
    column: 'timestamptz',
    keeps:
      '2024-01-01T01:00:00+01:00 → 2024-01-01T00:00:00Z · 2024-01-01T00:00:00Z · 2024-01-01 00:00:00-0130 → 2024-01-01T01:30:00Z',
    breaks: { 'type datetime': '2024-01-01T00:00:00+24:00 · 2024-01-01T00:00:00 UTC · 9999-12-31T23:59:59-01:00' },
  },
  'datetime: text if only some have offsets': {
    field: { type: 'datetime' },
    column: 'text',
    keeps: '2024-01-01T01:00:00+01:00 · 2024-01-01 00:00:00',
    breaks: { 'type datetime': '2024-01-01' },
  },
  'year: four digits or more': {
    field: { type: 'year' },
    column: 'integer',
    keeps: '2024 · 0044 → 44 · -0044 → -44 · 12024',
    breaks: { 'type year': '24 · -44 · +2024 · 2024.0 · 1234567890' },
  },
  'yearmonth: 2024-01': {
    field: { type: 'yearmonth' },
    column: 'text',
    keeps: '2024-01 · 0000-12',
    breaks: { 'type yearmonth': '2024-00 · 2024-13 · 2024-1 · 202401 · 2024-01-01' },
  },
  'duration: as in XML Schema': {
    field: { type: 'duration' },
    column: 'text',
    keeps: 'P1Y2M3DT4H5M6.7S · -P1D · PT0S · P12M · PT1H1S',
    breaks: { 'type duration': 'P · PT · P1DT · 1D · P1H · P-1D · P1D2Y · p1d · P1.5D · PT.5S' },
  },
  'object: JSON of that kind': {
    field: { type: 'object' },
    column: 'text',
    keeps: '{} · "{""a"":[1,null]}" → {"a":[1,null]} ·  {} ',
    breaks: { 'type object': "[] · null · {a:1} · { · {}{} · {'a':1}" },
  },
  'array: JSON of that kind': {
    field: { type: 'array' },
    column: 'text',
    keeps: '[] · "[1,""x"",[true]]" → [1,"x",[true]]',
    breaks: { 'type array': '{} · 1 · [ · [1] x · [01]' },
  },
  'pattern: %Y-%m-%d with leading zeros missing': {
    field: { type: 'date', format: '%Y/%m/%d' },
    column: 'date',
    keeps: '2024/02/03 → 2024-02-03 · 2024/2/3 → 2024-02-03 · 2024/2/3  → 2024-02-03',
    breaks: { 'type date %Y/%m/%d': '24/2/3 · 2024/002/3 · 2024-02-03 · 2024/13/1 · 2024/0/1 · 2024/1/32' },
  },
  'pattern: digits of adjacent directives need their zeros': {
    field: { type: 'date', format: '%Y%m%d' },
    column: 'date',
    keeps: '20240203 → 2024-02-03',
    breaks: { 'type date %Y%m%d': '2024203 · 202423 · 2024-02-03' },
  },
  'pattern: English month names in any case': {
    field: { type: 'date', format: '%d %B %Y' },
    column: 'date',
    keeps: '3 March 2024 → 2024-03-03 · 03 mArCH 2024 → 2024-03-03 · 3 MAY 2024 → 2024-05-03',
    breaks: { 'type date %d %B %Y': '3 Mar 2024 · 3 März 2024 · 3 3 2024' },
  },
  'pattern: short month names': {
    field: { type: 'date', format: '%b %d, %Y' },
    column: 'date',
    keeps: '"Mar 3, 2024" → 2024-03-03 · "SEP 30, 2024" → 2024-09-30',
    breaks: { 'type date %b %d, %Y': '"March 3, 2024"', 'type date %b %d, %Y …': '"Sep 31, 2024"' },
  },
  'pattern: two-digit years are 1969 to 2068': {
    field: { type: 'date', format: '%d.%m.%y' },
    column: 'date',
    keeps: '1.1.69 → 1969-01-01 · 1.1.99 → 1999-01-01 · 1.1.00 → 2000-01-01 · 31.12.68 → 2068-12-31',
    breaks: { 'type date %d.%m.%y': '1.1.2024 · 1.1.1' },
  },
  'pattern: %I with %p': {
    field: { type: 'time', format: '%I:%M %p' },
    column: 'time',
    keeps: '12:00 AM → 00:00:00 · 12:00 pm → 12:00:00 · 1:05 Pm → 13:05:00 · 11:59 pm → 23:59:00',
    breaks: { 'type time %I:%M %p': '13:00 PM · 0:00 AM · 1:00' },
  },
  'pattern: %H alone is a time': {
    field: { type: 'time', format: '%H' },
    column: 'time',
    keeps: '0 → 00:00:00 · 07 → 07:00:00 · 23 → 23:00:00',
    breaks: { 'type time %H': '24 · 007 · 7:00' },
  },
  'pattern: %f': {
    field: { type: 'time', format: '%H:%M:%S,%f' },
    column: 'time',
    keeps: '"1:2:3,5" → 01:02:03.5 · "23:59:59,999999" → 23:59:59.999999',
    breaks: { 'type time %H:%M:%S,%f': '"1:2:3,1234567" · 1:2:3.5 · 1:2:3 · 1:2:60' },
  },
  'pattern: %z comes last': {
    field: { type: 'datetime', format: '%d.%m.%Y %H:%M%z' },
    column: 'timestamptz',
    keeps:
      '1.2.2024 1:00Z → 2024-02-01T01:00:00Z · 1.2.2024 1:00+0130 → 2024-01-31T23:30:00Z · 1.2.2024 1:00-01:30 → 2024-02-01T02:30:00Z',
    breaks: {
      'type datetime %d.%m.%Y %H:%M%z': '1.2.2024 1:00 · 1.2.2024 1:00 Z · 1.2.2024 1:00+01 · 1.2.2024 24:00Z',
    },
  },
  'pattern: without %z a timestamp': {
    field: { type: 'datetime', format: '%Y-%m-%dT%H.%M.%S' },
    column: 'timestamp',
    keeps: '2024-02-29T01.02.03 → 2024-02-29 01:02:03',
    breaks: {
      'type datetime %Y-%m-%dT%H.%M.%S': '2024-02-29T01:02:03',
      'type datetime %Y-%m-%dT%H.%M.%S …': '2023-02-29T01.02.03',
    },
  },
  'numbers that the column cannot hold': {
    field: { type: 'number' },
    column: 'number',
    keeps: '1 · 1.5',
    breaks: { 'type number …': '1e400 · -1e309' },
  },
  'numbers of other forms become the nearest double': {
    field: { type: 'number' },
    column: 'number',
    keeps: '12345678901234567891 → 12345678901234567000 · 1e3 → 1000 · 0.5',
  },
  'numbers with more than 38 digits become the nearest double': {
    field: { type: 'number' },
    column: 'number',
    keeps: '999999999999999999999999999999999999999 → 1e+39 · 0.5',
  },
  '-0 is stored as 0': {
    field: { type: 'number' },
    column: 'number',
    keeps: '-0 → 0 · -0.0 → 0 · 1.25',
  },
  'numbers with decimalChar keep their digits': {
    field: { type: 'number', decimalChar: ',', groupChar: '.' },
    column: 'decimal(38,2)',
    keeps: '"12.345.678.901.234.567,25" → 12345678901234567.25 · "0,5" → 0.50',
  },
  'numbers with other characters that a double does not keep are rejects': {
    field: { type: 'number', decimalChar: '|' },
    column: 'number',
    keeps: '0|5 → 0.5 · 123456789|125 → 123456789.125',
    breaks: { 'type number …': '12345678901234567|25' },
  },
  'numbers in groups of other than three digits that a double does not keep are rejects': {
    field: { type: 'number', groupChar: ',' },
    column: 'number',
    keeps: '"12,34.5" → 1234.5 · 1.25',
    breaks: { 'type number …': '"12,34,56,78,90,12,345.893"' },
  },
  'NaN and INF are not numbers': {
    field: { type: 'number' },
    column: 'number',
    keeps: '1 · 1.5',
    breaks: { 'type number': 'NaN · INF · inf · -Infinity · nan' },
  },
  'NaN and INF as missing values': {
    field: { type: 'number', missingValues: ['', 'NaN', 'INF'] },
    column: 'number',
    keeps: '1 · NaN → null · INF → null ·  → null · 2.5',
    breaks: { 'type number': 'nan' },
  },
  'numbers with decimal comma and as many places': {
    field: { type: 'number', decimalChar: ',', groupChar: '.' },
    column: 'decimal(18,2)',
    keeps: '"1.234,50" → 1234.50 · "0,25" → 0.25 · "123.456.789.012.345,67" → 123456789012345.67',
    breaks: { 'type number': 'x' },
  },
  'fractions with many places': {
    field: { type: 'number' },
    column: 'decimal(38,30)',
    keeps: '0.123456789012345678901234567890 · 1.5 → 1.500000000000000000000000000000',
  },
  'numbers are decimals where the format says so': {
    field: { type: 'number', format: 'decimal' },
    column: 'decimal(38,2)',
    keeps: '12.5 → 12.50 · 3 → 3.00 · -0.25',
    breaks: { 'type number': 'x' },
  },
  'numbers with an exponent are doubles, whatever the format says': {
    field: { type: 'number', format: 'decimal' },
    column: 'number',
    why: /doubles, since some numbers have an exponent or a form like/,
    keeps: '1.10 → 1.1 · +3.30 → 3.3 · 007.5 → 7.5 · 1e3 → 1000',
  },
  'an empty string as a value': {
    field: { type: 'boolean', trueValues: ['ja'], falseValues: ['nein', ''], missingValues: [] },
    column: 'boolean',
    keeps: 'ja → true · nein → false ·  → false',
  },
  'dates of years that ISO 8601 writes': {
    field: { type: 'date', format: '%d/%m/%Y' },
    column: 'date',
    keeps: '01/01/0001 → 0001-01-01 · 31/12/9999 → 9999-12-31',
    breaks: { 'type date %d/%m/%Y …': '31/12/0000 · 31/02/2024' },
  },
  'instants of years that ISO 8601 writes': {
    field: { type: 'datetime', format: '%Y-%m-%d %H:%M%z' },
    column: 'timestamptz',
    keeps: '9999-12-31 23:59Z → 9999-12-31T23:59:00Z · 0001-01-01 01:00+01:00 → 0001-01-01T00:00:00Z',
    breaks: { 'type datetime %Y-%m-%d %H:%M%z …': '9999-12-31 23:59-01:00 · 0001-01-01 00:00+01:00' },
  },
})

// Tests of Trino values: types and values of Trino in the formats of a result.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWriter } from '../answer-writer.ts'
import { parsePage } from './trino-page.ts'
import { answerColumns, cellTexts } from './trino-values.ts'

const plain = (rawType: string, ...numbers: readonly number[]) => ({
  rawType,
  arguments: numbers.map((value) => ({ kind: 'LONG', value })),
})
const nested = (rawType: string, ...types: readonly unknown[]) => ({
  rawType,
  arguments: types.map((value) => ({ kind: 'TYPE', value })),
})
const row = (...fields: readonly (readonly [string | null, unknown])[]) => ({
  rawType: 'row',
  arguments: fields.map(([name, typeSignature]) => ({
    kind: 'NAMED_TYPE',
    value: { ...(name !== null && { fieldName: { name } }), typeSignature },
  })),
})

/** The name of the type, and the value in JSON and in CSV. @param value JSON text. */
function shown(typeSignature: unknown, value: string): readonly string[] {
  const columns = [{ name: 'x', type: '', typeSignature }]
  const { columns: found, rows } = parsePage(`{"columns":${JSON.stringify(columns)},"data":[[${value}]]}`)
  const texts = cellTexts(found!)
  const [{ type } = { type: '' }] = answerColumns(found!)
  return [type, texts.json(rows[0]?.[0], 0), texts.csv(rows[0]?.[0], 0)]
}

test('cellTexts() formats values as DuckDB does', () => {
  for (const [type, value, ...wanted] of [
    [plain('bigint'), '9223372036854775807', 'integer', '"9223372036854775807"', '9223372036854775807'],
    [plain('tinyint'), '-1', 'integer', '-1', '-1'],
    [plain('double'), '-0.0', 'number', '-0.0', '-0.0'],
    [plain('double'), '1.0E300', 'number', '1e+300', '1e+300'],
    [plain('real'), '"NaN"', 'number', '"NaN"', 'NaN'],
    [plain('decimal', 38, 10), '"-1.50"', 'decimal(38,10)', '"-1.50"', '-1.50'],
    [plain('varchar', 3), '""', 'text', '""', '""'],
    [plain('char', 3), '"a, "', 'text', '"a, "', '"a, "'],
    [plain('varchar'), 'null', 'text', 'null', ''],
    [plain('boolean'), 'true', 'boolean', 'true', 'true'],
    [plain('date'), '"0001-01-01"', 'date', '"0001-01-01"', '0001-01-01'],
    [plain('time', 6), '"10:00:00.500000"', 'time', '"10:00:00.5"', '10:00:00.5'],
    [plain('time', 6), '"10:00:00.000000"', 'time', '"10:00:00"', '10:00:00'],
    [
      plain('timestamp', 6),
      '"1900-01-01 00:00:00.000001"',
      'timestamp',
      '"1900-01-01 00:00:00.000001"',
      '1900-01-01 00:00:00.000001',
    ],
    [plain('timestamp', 0), '"2020-01-01 10:00:00"', 'timestamp', '"2020-01-01 10:00:00"', '2020-01-01 10:00:00'],
    [
      plain('timestamp with time zone', 6),
      '"2020-01-01 10:00:00.120000 UTC"',
      'timestamptz',
      '"2020-01-01T10:00:00.12Z"',
      '2020-01-01T10:00:00.12Z',
    ],
    [
      plain('timestamp with time zone', 9),
      '"2020-01-01 00:30:00.123456789 +01:00"',
      'timestamptz',
      '"2019-12-31T23:30:00.123456789Z"',
      '2019-12-31T23:30:00.123456789Z',
    ],
    [
      plain('timestamp with time zone', 0),
      '"2020-01-01 00:30:00 Europe/Berlin"',
      'timestamptz',
      '"2020-01-01 00:30:00 Europe/Berlin"',
      '2020-01-01 00:30:00 Europe/Berlin',
    ],
    [plain('varchar'), '"2020-01-01 10:00:00.500"', 'text', '"2020-01-01 10:00:00.500"', '2020-01-01 10:00:00.500'],
    [plain('varbinary'), '"AP8="', 'varbinary', '"AP8="', 'AP8='],
    [
      nested('array', plain('time', 3)),
      '["10:00:00.500",null]',
      'array(time)',
      '["10:00:00.5",null]',
      '"[""10:00:00.5"",null]"',
    ],
    [
      nested('map', plain('bigint'), plain('varchar')),
      '{"1":"a","9223372036854775807":null}',
      'map(integer, text)',
      '[{"key":1,"value":"a"},{"key":"9223372036854775807","value":null}]',
      '"[{""key"":1,""value"":""a""},{""key"":""9223372036854775807"",""value"":null}]"',
    ],
    [
      nested('map', plain('varchar'), plain('bigint')),
      '{"__proto__":1}',
      'map(text, integer)',
      '[{"key":"__proto__","value":1}]',
      '"[{""key"":""__proto__"",""value"":1}]"',
    ],
    [
      row(['a', plain('bigint')], [null, plain('date')]),
      '[1,"2020-01-01"]',
      'row("a" integer, date)',
      '{"a":1,"field1":"2020-01-01"}',
      '"{""a"":1,""field1"":""2020-01-01""}"',
    ],
  ] as const) {
    assert.deepEqual(shown(type, value), wanted, JSON.stringify(type))
  }
})

test('createWriter() writes a row of Trino in each format', () => {
  const { columns, rows } = parsePage(
    '{"columns":[{"name":"a","typeSignature":{"rawType":"bigint"}},{"name":"a","typeSignature":{"rawType":"varchar"}}],"data":[[1,"x,"]]}',
  )
  const written = (format: 'json' | 'ndjson' | 'csv') => {
    const writer = createWriter(format, answerColumns(columns!), cellTexts(columns!))
    return writer.head() + writer.row(rows[0]!, true) + writer.tail(false)
  }
  assert.equal(
    written('json'),
    '{"columns":[{"name":"a","type":"integer"},{"name":"a","type":"text"}],"rows":[[1,"x,"]],"truncated":false}\n',
  )
  assert.equal(written('ndjson'), '{"a":1,"a_1":"x,"}\n')
  assert.equal(written('csv'), 'a,a\r\n1,"x,"\r\n')
})

// Tests of Trino statements: what precedes a statement, and what is refused without asking Trino.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { statementOver } from './trino-statement.ts'

const table = { sql: 'SELECT c1 AS "a" FROM t', columns: ['"a"'] }
const over = (sql: string) => statementOver(table, sql).sql

test('statementOver() puts the table on a separate line, and does not shift the columns of the statement', () => {
  const front = 'WITH data AS (SELECT c1 AS "a" FROM t)'
  for (const sql of ['SELECT 1', 'select * from data', '(SELECT 1)', 'TABLE data', "VALUES 'a;b'", '-- x\nSELECT 1']) {
    assert.equal(over(sql), `${front}\n${sql}`)
  }
  assert.equal(over('SELECT 1 ; ; -- end'), `${front}\nSELECT 1`)
  assert.equal(over('/* ; */ with x AS (SELECT 1) TABLE x'), `${front},\n/* ; */      x AS (SELECT 1) TABLE x`)
  assert.equal(
    over('WITH /* a */\nRecursive x(n) AS (SELECT 1) TABLE x'),
    `WITH RECURSIVE data ("a") AS (SELECT c1 AS "a" FROM t),\n            \n          x(n) AS (SELECT 1) TABLE x`,
  )
})

test('statementOver() accepts statements that only resemble refused ones', () => {
  for (const sql of [
    "SELECT 'a.b.c', 'TABLE (', ';', '--', '/*' FROM data",
    'SELECT "a.b.c", "TABLE (", "current_user", ";" FROM data',
    'SELECT data.a, 1.5, .5, 1.e2, (data.r).f FROM data -- a.b.c; TABLE (',
    'SELECT "x""y".z /* a.b.c */ FROM data',
    "SELECT U&'\\0041', X'00', a.*, count(*) FROM data a",
    'SELECT x FROM data CROSS JOIN UNNEST(sequence(1, 3)) t(x)',
    "SELECT * FROM JSON_TABLE('[1]', 'lax $[*]' COLUMNS(x INTEGER PATH 'lax $'))",
  ]) {
    assert.doesNotThrow(() => over(sql), sql)
  }
})

test('statementOver() refuses statements that are not queries, and names and functions that lead elsewhere', () => {
  for (const sql of [
    'DROP TABLE data',
    'insert into x values 1',
    'EXPLAIN SELECT 1',
    'EXPLAIN ANALYZE SELECT 1',
    'SHOW TABLES',
    'DESCRIBE data',
    'CALL system.runtime.kill_query()',
    "SET SESSION a = 'b'",
    'EXECUTE IMMEDIATE $$SELECT 1$$',
    '/* SELECT */ DELETE FROM data',
    '-- SELECT\rDELETE FROM data',
    'SELECT 1; DROP TABLE x',
    'SELECT 1;;SELECT 2',
    'SELECT * FROM hive.default.t',
    'SELECT * FROM hive . "default" /* . */\n.\nt',
    'SELECT * FROM "hive".s."ſecret"',
    'SELECT * FROM system.runtime.nodes',
    'TABLE tpch.tiny.nation',
    'SELECT catalog.schema.f(1)',
    "SELECT * FROM TABLE(pg.system.query(query => 'SELECT 1'))",
    'SELECT * FROM table /* */\n(sequence(1, 2))',
    'SELECT * FROM data, LATERAL (SELECT * FROM TABLE(f()))',
    'SELECT current_user',
    'SELECT * FROM data WHERE a = CURRENT_GROUPS()',
  ]) {
    assert.throws(
      () => over(sql),
      (error) => isServiceError(error, 'QUERY_NOT_READ_ONLY'),
      sql,
    )
  }
})

test('statementOver() refuses unterminated and empty statements', () => {
  for (const sql of [
    '',
    ' ',
    ';',
    '-- SELECT',
    '/* x */',
    "SELECT 'a",
    'SELECT "a',
    'SELECT `a',
    'SELECT 1 /* x',
    'a\0b',
  ]) {
    assert.throws(
      () => over(sql),
      (error) => isServiceError(error, 'QUERY_FAILED'),
      sql,
    )
  }
})

// Tests of Content-Disposition: how untrusted file names appear in a header.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attachment, withExtension } from './content-disposition.ts'

const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)

test('attachment() keeps a plain name unchanged', () => {
  assert.equal(attachment('sales 2024.csv'), 'attachment; filename="sales 2024.csv"')
})

test('attachment() writes any other name twice, for old clients and for new ones', () => {
  assert.equal(attachment('Größe.csv'), `attachment; filename="Gr__e.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.csv`)
  assert.equal(attachment('50%.csv'), `attachment; filename="50_.csv"; filename*=UTF-8''50%25.csv`)
  assert.equal(
    attachment("a'(b)*!;.csv"),
    `attachment; filename="a'(b)*!_.csv"; filename*=UTF-8''a%27%28b%29%2A%21%3B.csv`,
  )
})

test('attachment() removes paths, control characters and changes of text direction', () => {
  assert.equal(attachment('../../etc/passwd'), 'attachment; filename="passwd"')
  assert.equal(attachment('C:\\temp\\a.csv'), 'attachment; filename="a.csv"')
  assert.equal(attachment('a\r\nSet-Cookie: x\0.csv'), 'attachment; filename="aSet-Cookie: x.csv"')
  assert.equal(attachment('a\u202evsc.exe'), 'attachment; filename="avsc.exe"')
  assert.equal(attachment('/'), 'attachment; filename="data"')
})

test('attachment() shortens a name that is too long, and keeps its extension', () => {
  assert.equal(attachment(`${'a'.repeat(196)}.csv`), `attachment; filename="${'a'.repeat(196)}.csv"`)
  const name = `${'a'.repeat(300)}.part-00000.parquet`
  assert.equal(attachment(name), `attachment; filename="${'a'.repeat(181)}.part-00000.parquet"`)
})

test(`attachment() is a header with one readable name whatever the client sent (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      const header = attachment(name)
      assert.match(header, /^attachment; filename="[^"\\\r\n%;]+"(; filename\*=UTF-8''[A-Za-z0-9\-._~%]+)?$/)
      assert.match(header, /^[ -~]+$/)
      const extended = header.split("''")[1]
      if (extended !== undefined) assert.ok(!/[\p{Cc}/\\]/u.test(decodeURIComponent(extended)))
    }),
    { seed, numRuns: 2_000 },
  )
})

test('withExtension() replaces the extension of a table file, and appends to any other name', () => {
  assert.equal(withExtension('sales.CSV', 'parquet'), 'sales.parquet')
  assert.equal(withExtension('sales.csv.gz', 'csv'), 'sales.csv')
  assert.equal(withExtension('sales.zst', 'csv'), 'sales.csv')
  assert.equal(withExtension('sales.2024', 'csv'), 'sales.2024.csv')
  for (const name of ['', '\u200e', '.csv']) assert.equal(withExtension(name, 'csv'), 'data.csv')
})

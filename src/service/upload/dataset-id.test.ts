// Tests of dataset ids: what makes a different dataset, and that ids without a schema are stable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDeclaredSchema } from '../schema/parse-schema.ts'
import type { UploadOptions } from '../schema/upload-options.ts'
import { datasetId } from './dataset-id.ts'

const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const idOf = (declared: UploadOptions) => datasetId({ sha256, declared, owner: '' })
const nothing: UploadOptions = { dialect: {}, schema: null }

// These two change only with the version of the reading.
test('datasetId() is stable for files without a schema', () => {
  assert.equal(idOf(nothing), '081cc138b166acbad46d7ae77ad4fa04')
  assert.equal(idOf({ dialect: { delimiter: ';', header: false }, schema: null }), '2915fb086bbd8908f3e2969f12e2e911')
})

test('datasetId() ignores the order of the members of a dialect', () => {
  assert.equal(
    idOf({ dialect: { header: false, delimiter: ';' }, schema: null }),
    idOf({ dialect: { delimiter: ';', header: false }, schema: null }),
  )
})

test('datasetId() differs for different schemas, and is the same for equivalent ones', () => {
  const id = (schema: unknown) => idOf({ dialect: {}, schema: readDeclaredSchema(schema) })
  const one = id({ fields: [{ name: 'a', type: 'integer' }] })
  assert.notEqual(one, idOf(nothing))
  assert.notEqual(one, id({ fields: [{ name: 'a', type: 'number' }] }))
  assert.notEqual(one, id({ fields: [{ name: 'a', type: 'integer', constraints: { minimum: 0 } }] }))
  assert.notEqual(one, id({ fields: [{ name: 'a', type: 'integer' }], missingValues: ['', '-'] }))
  assert.notEqual(one, id({ fields: [{ name: 'a', type: 'integer' }], fieldsMatch: 'equal' }))
  const spelledOut = { format: 'default', title: 'A', bareNumber: true, constraints: { required: false } }
  assert.equal(one, id({ missingValues: [''], fields: [{ type: 'integer', name: 'a', ...spelledOut }] }))
})

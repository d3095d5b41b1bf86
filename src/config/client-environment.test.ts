// Tests of what the commands read from the environment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClientEnvironment } from './client-environment.ts'
import { readConfig } from './config.ts'

test('readClientEnvironment() reads server and key, and treats empty variables as absent', () => {
  const set = { CSV_UPLOAD_URL: 'http://a', CSV_UPLOAD_KEY: 'k', CSV_UPLOAD_KEY_FILE: 'f', EDITOR: 'vi' }
  const none = { stateDir: null, color: null, isBuild: false }
  assert.deepEqual(readClientEnvironment(set), { url: 'http://a', key: 'k', keyFile: 'f', editor: 'vi', ...none })
  const empty = { CSV_UPLOAD_URL: '', CSV_UPLOAD_KEY: '', CI: '', NO_COLOR: '', FORCE_COLOR: '', VISUAL: '' }
  assert.deepEqual(readClientEnvironment(empty), { url: null, key: null, keyFile: null, editor: null, ...none })
})

test('readClientEnvironment() prefers VISUAL, the full-screen editor', () => {
  assert.equal(readClientEnvironment({ VISUAL: 'code --wait', EDITOR: 'vi' }).editor, 'code --wait')
})

test('readClientEnvironment() prefers NO_COLOR to FORCE_COLOR', () => {
  const color = (environment: Record<string, string>) => readClientEnvironment(environment).color
  assert.equal(color({ NO_COLOR: '1', FORCE_COLOR: '1' }), false)
  assert.equal(color({ FORCE_COLOR: '1' }), true)
  assert.equal(color({ FORCE_COLOR: '0' }), false)
  assert.equal(color({ TERM: 'dumb' }), false)
  assert.equal(readClientEnvironment({ CI: 'true' }).isBuild, true)
})

test('readClientEnvironment() keeps state where the XDG specification says', () => {
  const dir = (environment: Record<string, string>) => readClientEnvironment(environment).stateDir
  assert.equal(dir({ XDG_STATE_HOME: '/s', HOME: '/h' }), '/s')
  assert.equal(dir({ XDG_STATE_HOME: 's', HOME: '/h' }), '/h/.local/state')
  assert.equal(dir({ HOME: 'h' }), null)
})

test('readConfig() ignores variables of the client', () => {
  assert.equal(readConfig([], { CSV_UPLOAD_URL: 'http://a', CSV_UPLOAD_KEY: 'k', CSV_UPLOAD_KEY_FILE: 'f' }).port, 8080)
})

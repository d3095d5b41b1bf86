// Tests of what the commands read from the environment.
import assert from 'node:assert/strict'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readClientEnvironment } from './client-environment.ts'
import { readConfig } from './config.ts'

test('readClientEnvironment() reads server and key, and treats empty variables as absent', () => {
  const set = { CSV_UPLOAD_URL: 'http://a', CSV_UPLOAD_KEY: 'k', CSV_UPLOAD_KEY_FILE: 'f', EDITOR: 'vi' }
  const none = { stateDir: join(homedir(), '.local', 'state'), isBuild: false, startedBy: null }
  assert.deepEqual(readClientEnvironment(set), { url: 'http://a', key: 'k', keyFile: 'f', editor: 'vi', ...none })
  const empty = { CSV_UPLOAD_URL: '', CSV_UPLOAD_KEY: '', CI: '', VISUAL: '' }
  assert.deepEqual(readClientEnvironment(empty), { url: null, key: null, keyFile: null, editor: null, ...none })
})

test('readClientEnvironment() prefers VISUAL, the full-screen editor', () => {
  assert.equal(readClientEnvironment({ VISUAL: 'code --wait', EDITOR: 'vi' }).editor, 'code --wait')
})

test('readClientEnvironment() keeps state where the XDG specification says', () => {
  const dir = (environment: Record<string, string>) => readClientEnvironment(environment).stateDir
  assert.equal(dir({ XDG_STATE_HOME: '/s' }), '/s')
  assert.equal(dir({ XDG_STATE_HOME: 's' }), join(homedir(), '.local', 'state'))
  assert.equal(readClientEnvironment({ CI: 'true' }).isBuild, true)
  assert.equal(readClientEnvironment({ STARTED_BY: '20 10' }).startedBy, '20 10')
})

test('readConfig() ignores variables of the client', () => {
  assert.equal(readConfig([], { CSV_UPLOAD_URL: 'http://a', CSV_UPLOAD_KEY: 'k', CSV_UPLOAD_KEY_FILE: 'f' }).port, 8080)
})

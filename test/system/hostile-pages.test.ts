// Tests of hostile pages: pages of another origin in a real browser cannot make the service do anything. Skips without
// Chromium.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../support/page-browser.ts'
import { visitHostilePages } from './hostile-pages.ts'

test('pages of another origin in a browser change nothing and read nothing', { skip: noBrowser }, async () => {
  assert.ok((await visitHostilePages()) > 15)
})

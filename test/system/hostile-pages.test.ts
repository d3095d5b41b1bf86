// Tests of hostile pages: what a stranger's page in a real browser gets the service to do, which is nothing. Skips without Chromium.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chromium, visitHostilePages } from './hostile-pages.ts'

test("a stranger's page in a browser changes nothing and reads nothing", async (t) => {
  if (chromium === undefined) return t.skip('Chromium is not there')
  assert.ok((await visitHostilePages()) > 15)
})

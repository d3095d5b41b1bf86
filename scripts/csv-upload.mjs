#!/usr/bin/env node
// csv-upload: the installed command. Runs the command line on the pinned Node; in a checkout, sets it up first.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { becomeNode, root, SetupError, setUp } from './setup.mjs'

try {
  const sourcePath = join(root, 'src/bin/csv-upload.ts')
  const isCheckout = existsSync(sourcePath)
  if (isCheckout) setUp()
  const program = isCheckout ? sourcePath : join(root, 'dist/bin/csv-upload.js')
  process.exitCode = await becomeNode([program, ...process.argv.slice(2)])
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

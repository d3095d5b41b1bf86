#!/usr/bin/env node
// csv-upload: the installed command. Sets up what is missing and runs the command line on the pinned Node.
import { join } from 'node:path'
import { root, runNode, SetupError, setUp } from './setup.mjs'

try {
  await setUp()
  process.exitCode = await runNode([join(root, 'src/bin/csv-upload.ts'), ...process.argv.slice(2)])
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

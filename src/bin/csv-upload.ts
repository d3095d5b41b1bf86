#!/usr/bin/env node
// csv-upload: the entry of the process. Knows only the command line.
import { main } from '../cli/main.ts'

// On Windows, which has no signals between processes, the launcher sends their names.
process.on('message', (name) => {
  if (name === 'SIGTERM' || name === 'SIGINT') process.emit(name, name)
})
process.exit(await main(process.argv.slice(2)))

#!/usr/bin/env node
// csv-upload: the entry of the process. Knows only the command line.
import { main } from '../cli/main.ts'

process.exit(await main(process.argv.slice(2)))

// Schemathesis: checks the running service against its API description with generated requests, for `npm run test:api`.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { session } from '../api/session.ts'

/** `npm run test:api -- --max-examples 200` tries more of each. */
const given = process.argv.slice(2)
const program = ['schemathesis', 'st'].find((name) => spawnSync(name, ['--version']).status === 0)
if (program === undefined) {
  process.stderr.write(
    'Cannot run schemathesis: it is not on the path, expected as `pip install schemathesis` leaves it\n',
  )
  process.exit(1)
}

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-schemathesis-'))
const entry = join(import.meta.dirname, '../../src/bin/csv-upload.ts')
const flags = ['serve', '--port', '0', '--data', join(dir, 'data'), '--log-level', 'error', '--converters', '1']
const service = spawn(process.execPath, [entry, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
const ended = once(service, 'exit')
const errors: string[] = []
createInterface({ input: service.stdout }).on('line', (line) => errors.push(line))
try {
  const url = await listening()
  // Uploads a file, so that requests based on examples find something.
  await session(url, { keep: true })
  const flags = ['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', `${url}/openapi.json`]
  const limits = ['--phases', 'examples,coverage,fuzzing', '--max-examples', '15', '--continue-on-failure']
  // Runs in the scratch directory, since it writes reports to its working directory.
  const run = spawn(program, [...flags, ...limits, ...given], { stdio: 'inherit', cwd: dir })
  const [code] = await once(run, 'exit')
  process.exitCode = code ?? 1
} finally {
  service.kill('SIGTERM')
  await ended
  await rm(dir, { recursive: true, force: true })
}
if (errors.length > 0) {
  process.stderr.write(`The service logged ${errors.length} errors of its own:\n${errors.slice(0, 20).join('\n')}\n`)
  process.exitCode = 1
}

async function listening(): Promise<string> {
  for await (const line of createInterface({ input: service.stderr })) {
    const url = /^Listening on (\S+)$/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('Cannot start the service: it ended before it listened')
}

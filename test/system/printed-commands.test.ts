// Tests of the shell blocks of the docs: each command is run as printed, with names of files, ids and the address of a real
// service in place of the printed ones. What cannot be run here is listed by name; anything new is run.
import assert from 'node:assert/strict'
import { chmod, cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { pageUrl } from '../docs/generated.ts'
import { codeBlocks, commandsOf, reasonNotToRun, runCode } from '../support/code-blocks.ts'
import { ownService } from '../support/shared-service.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const sales = 'id;name;region;amount\n007;Ada;north;12.50\n008;Grace;south;7.25\n009;"Alan"N/A;south;3.00\n'

/** The beginnings of commands that are not run here, by page, and what they need. */
const leftOut: Readonly<Record<string, readonly (readonly [needs: string, ...commands: string[]])[]>> = {
  'README.md': [['a terminal to run in, as in launch.test.ts', 'npm start', 'npm test', 'CSV_UPLOAD_MAX_FILE_SIZE=']],
  'docs/tutorial.md': [['a terminal to run in, as in launch.test.ts', 'npm start']],
  'docs/cli.md': [
    ['a terminal to run in, as in launch.test.ts', 'csv-upload serve'],
    ['PostgreSQL, as in copies.test.ts', 'csv-upload copy'],
    ['a bucket and an engine, as in publish.test.ts', 'csv-upload publish'],
    ['a remote server or a bucket', 'csv-upload doctor'],
  ],
  'docs/clients.md': [],
  'docs/operations.md': [['a bucket', 'AWS_ACCESS_KEY_ID=']],
  'docs/deployment.md': [
    ['a user and a system to install in', 'git clone', 'useradd', 'chown', 'cd /opt', 'systemctl', 'journalctl'],
    ['Docker and a domain, as in deploy.test.ts', 'docker ', 'cd deploy', 'mkdir keys', 'CSV_UPLOAD_NAME='],
    ['Kubernetes', 'kubectl', 'helm'],
    ['rsync', 'rsync'],
  ],
  'docs/uploads.md': [],
}

const { service, client, dir } = await ownService()

describe('the shell blocks of the docs', () => {
  before(async () => {
    const bin = join(dir, 'bin')
    await mkdir(join(dir, 'home'))
    await mkdir(bin)
    // Errors of HTTP end a command, too.
    await writeFile(join(dir, 'home', '.curlrc'), 'fail-with-body\n')
    const program = join(checkout, 'scripts', 'csv-upload.mjs')
    const programs = {
      'csv-upload': `exec '${process.execPath}' '${program}' "$@"`,
      libreoffice: 'sed -i.bak s/N.A// "$1"',
    }
    for (const [name, script] of Object.entries(programs)) {
      await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`)
      await chmod(join(bin, name), 0o755)
    }
  })

  /** A directory with the files that the docs name. */
  async function workplace(): Promise<string> {
    const cwd = await mkdtemp(join(dir, 'work-'))
    const files = {
      'people.csv': 'id,name,born,balance\n007,Ada,1815-12-10,12.50\n008,Grace,1906-12-09,7.25\n009,Alan,1912-06-23\n',
      'sales.csv': sales,
      'sales.csv.gz': gzipSync(sales),
      'exports/north/a.csv': 'a\n1\n',
      'sales.schema.json': '{"fields":[{"name":"id"}],"fieldsMatch":"subset"}',
      'top.sql': 'SELECT * FROM data',
      'keys.json': '{"keys":[]}',
      'ci.key': 'none-is-needed',
    }
    for (const [name, content] of Object.entries(files)) {
      await mkdir(join(cwd, name, '..'), { recursive: true })
      await writeFile(join(cwd, name), content)
    }
    await symlink(join(checkout, 'scripts'), join(cwd, 'scripts'))
    await symlink(join(dir, 'data'), join(cwd, 'data'))
    return cwd
  }

  /** The same commands about a dataset, an upload and directories that exist. */
  async function withNames(code: string): Promise<string> {
    // One in the trash is no other block's.
    const isTrashed = code.includes('csv-upload restore')
    const content = isTrashed ? `${sales}010;Joan;west;1.00\n` : sales
    const { id, upload } = await client.upload({ content, fileName: 'received.csv' })
    if (isTrashed) await client.ask('DELETE', `/qas/datasets/${id}?trash`)
    await client.upload({ content: 'a\n2\n', fileName: 'test.csv' })
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '10' }
    const created = await client.ask('POST', '/qas/uploads', undefined, tus)
    const unfinished = String(created.headers.location).split('/').at(-1)!
    for (const copy of ['backup/csv-upload.0', 'mnt/csv-upload']) {
      await cp(join(dir, 'data', 'datasets'), join(dir, copy, 'datasets'), { recursive: true })
    }
    const uploadId = /cancel|DELETE/.test(code) ? unfinished : upload.id
    return code
      .replaceAll('http://127.0.0.1:8080', service.url)
      .replaceAll('019aa1b2-4c80-7000-8000-0123456789ab', uploadId)
      .replaceAll('019aa1b2-4c80', uploadId.slice(0, 18))
      .replaceAll(/5f0c(?:…|1a2b)/g, id.slice(0, 12))
      .replaceAll(/\/(?:etc|opt|var\/lib)\/csv-upload|\/backup|\/mnt\/large/g, (path) => join(dir, path.split('/')[1]!))
  }

  for (const [page, others] of Object.entries(leftOut)) {
    it(`of ${page} run as printed`, async (t) => {
      const reason = await reasonNotToRun('sh')
      if (reason !== null) return t.skip(reason)
      const blocks = codeBlocks(await readFile(pageUrl(page), 'utf8'))
      assert.ok(
        blocks.every(({ language }) => language !== ''),
        'a block does not name its language',
      )
      const beginnings = others.flatMap(([, ...commands]) => commands)
      const unused = new Set(beginnings)
      const isRun = (command: string) => {
        const lines = command.split('\n').filter((line) => !line.startsWith('#'))
        const found = beginnings.find((beginning) => lines[0]?.startsWith(beginning))
        if (found !== undefined) unused.delete(found)
        return found === undefined
      }
      const codes = blocks
        .filter(({ language }) => language === 'sh')
        .map((block) => commandsOf(block).filter(isRun).join('\n'))
        .filter((code) => code !== '')
      assert.deepEqual([...unused], [], 'left out, but not on the page')
      const environment = {
        PATH: `${join(dir, 'bin')}:${process.env.PATH}`,
        HOME: join(dir, 'home'),
        CURL_HOME: join(dir, 'home'),
        CSV_UPLOAD_URL: service.url,
        EDITOR: 'sed -i.bak s/N.A//',
      }
      // The blocks of these pages use each other's files and variables.
      const areOne = page === 'README.md' || page === 'docs/tutorial.md'
      const failures: string[] = []
      for (const code of areOne ? [codes.join('\n')] : codes) {
        const cwd = await workplace()
        const run = runCode('sh', await withNames(code), cwd, environment)
        await run.catch((error: Error) => failures.push(`${code}\n${error.message}`))
      }
      assert.equal(failures.join('\n\n'), '')
    })
  }
})

// Tests of csv-upload fix with a real service: rejects are edited in an editor or a file, and no edits are lost.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from '../support/client.ts'
import { runCommand as run } from '../support/command.ts'
import { scratchDir } from '../support/running-service.ts'
import { sharedService } from '../support/shared-service.ts'

const scratch = await scratchDir()
const service = await sharedService()
const client = new Client(service.url)
after(() => scratch[Symbol.asyncDispose]())
const temporary = join(scratch.path, 'tmp dir')
await mkdir(temporary)

const { id } = await client.upload('id,name\n1,Ada\n2\n3,Alan\n4,Kurt,x\n')

/** @param editor A shell script that gets the file as `$1`. */
async function fix(editor: string | null, ...args: readonly string[]) {
  const path = join(scratch.path, 'my editor')
  if (editor !== null) {
    await writeFile(path, `#!/bin/sh\n${editor}\n`)
    await chmod(path, 0o700)
  }
  const variables = editor === null ? { EDITOR: '' } : { EDITOR: `'${path}' --wait`, VISUAL: '' }
  const environment = { CSV_UPLOAD_URL: service.url, TMPDIR: temporary, ...variables }
  return run(['fix', ...args], { environment, cwd: scratch.path })
}

/** The command's message about the file that it keeps. */
function keptFile(stderr: string): string {
  const path = /The edited file is kept\. To send it: csv-upload fix [0-9a-f]{32} --from '(.*)'$/m.exec(stderr)?.[1]
  assert.ok(path !== undefined && existsSync(path), stderr)
  return path
}

test('fix opens the rejects in the editor and sends the changes', async () => {
  const { stdout, stderr, code } = await fix(`sed -i 's/,"2",/,"2,Grace",/' "$2"`, id)
  assert.deepEqual(
    [code, stderr.replace(/[0-9a-f]{32}/, 'ID')],
    [0, '1 corrected in dataset ID, 1 unchanged, 0 refused; 1 rejects left.\n'],
  )
  assert.match(stdout, new RegExp(`^corrected +1 of ${id}$`, 'm'))
  assert.deepEqual(await readdir(temporary), [])
  const corrected = /dataset ([0-9a-f]{32})/.exec(stderr)?.[1] ?? ''
  assert.equal(
    (await client.get(`/qas/datasets/${corrected}/data.csv`)).toString(),
    'id,name\n1,Ada\n2,Grace\n3,Alan\n',
  )
})

test('fix edits the text with the first match of a line, and refuses a malformed one', async () => {
  const schema = { fields: [{ name: 'n', type: 'integer' }] }
  const typed = await client.upload({ content: 'n\n1\nN/A\n', schema })
  const { stderr, code } = await fix(`sed -i s/N.A/7/ "$2"`, typed.id)
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^1 corrected in dataset [0-9a-f]{32}, 0 unchanged, 0 refused; 0 rejects left\.$/m)
  const malformed = await fix(`sed -i '2s/,.*//' "$2"`, typed.id)
  assert.equal(malformed.code, 1)
  assert.match(malformed.stderr, /Cannot read corrections: line 2 cannot be read: 1 field, expected 9/)
  rmSync(dirname(keptFile(malformed.stderr)), { recursive: true })
})

test('fix sends nothing if nothing was changed', async () => {
  const { stdout, stderr, code } = await fix('true', id.slice(0, 10))
  assert.deepEqual([code, stdout, stderr], [0, '', 'Nothing was changed, so nothing was sent.\n'])
  assert.deepEqual(await readdir(temporary), [])
})

test('fix keeps the edits if something is refused, and can send them again', async () => {
  const { stderr, code } = await fix(`sed -i 's/,"2",/,"2,Grace,x",/; s/"4,Kurt,x"/"4,Kurt"/' "$2"`, id)
  assert.equal(code, 3)
  assert.match(stderr, /^1 corrected in dataset .*, 0 unchanged, 1 refused; 1 rejects left\.$/m)
  assert.match(stderr, /^record 3: too_many_fields: 3 fields, expected 2$/m)
  const path = keptFile(stderr)
  await writeFile(path, (await readFile(path, 'utf8')).replace('Grace,x', 'Grace'))
  const again = await fix(null, id, '--from', path, '--json')
  assert.equal(again.code, 0, again.stderr)
  assert.deepEqual(JSON.parse(again.stdout).corrected, { sent: 2, unchanged: 0, refused: 0, firstRefused: [] })
  rmSync(dirname(path), { recursive: true })
})

test('fix keeps the edits if the editor or the server fails', async () => {
  const failed = await fix('echo more >> "$2"; exit 3', id)
  assert.equal(failed.code, 1)
  assert.match(failed.stderr, /^csv-upload fix: Cannot edit the file: .* ended with 3$/m)
  assert.match(readFileSync(keptFile(failed.stderr), 'utf8'), /more\n$/)
  const refused = await fix('echo more >> "$2"', id)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /Cannot read corrections: line 4 cannot be read: 1 field, expected 9/)
  keptFile(refused.stderr)
})

test('fix mends by rules, after a dry run that stores nothing', async () => {
  const rules = ['{"reason":"too_few_fields","mend":"append"}', '{"reason":"too_many_fields","mend":"drop"}']
  const args = rules.flatMap((rule) => ['--rule', rule])
  const before = await client.datasetIds()
  const dry = await fix(null, id, ...args, '--dry-run')
  assert.deepEqual([dry.code, dry.stderr], [0, ''])
  assert.equal(
    dry.stdout,
    'Rule 1 mends 1 of 1.\n  line 3: 2\n        → 2,\nRule 2 mends 0 of 1.\n' +
      '1 would be corrected, 0 unchanged, 0 refused; nothing is stored.\n',
  )
  assert.deepEqual(await client.datasetIds(), before)
  const { stderr, code } = await fix(null, id, ...args)
  assert.deepEqual(
    [code, stderr.replace(/[0-9a-f]{32}/, 'ID')],
    [
      0,
      'Rule 1 mends 1 of 1.\nRule 2 mends 0 of 1.\n1 corrected in dataset ID, 0 unchanged, 0 refused; 1 rejects left.\n',
    ],
  )
  const fromFile = await fix(null, id, '--from', await written(rules.join('\n')), '--dry-run')
  assert.equal(fromFile.stdout, dry.stdout)
  const wrong = await fix(null, id, ...args, '--rule', '{"reason":"few","mend":"append"}')
  assert.match(wrong.stderr, /the rule on line 3 has the reason "few"/)
  assert.match((await fix(null, id, ...args, '--from', 'r.csv')).stderr, /Cannot use --from with --rule/)
  assert.match((await fix(null, id, '--dry-run')).stderr, /Cannot use --dry-run: it needs --from or --rule/)
})

test('fix says what is missing', async () => {
  const none = await fix(null, id)
  assert.deepEqual([none.code, none.stdout], [2, ''])
  assert.match(none.stderr, /Cannot open an editor: set VISUAL or EDITOR, or send an edited file with --from/)
  assert.match((await fix(null, id, '--from', 'absent.csv')).stderr, /absent\.csv/)
  const whole = await client.upload('a,b\n1,2\n')
  const nothing = await fix('exit 9', whole.id)
  assert.deepEqual([nothing.code, nothing.stderr], [0, 'Nothing to correct: the dataset has no rejects.\n'])
})

test('a corrected dataset is downloaded with its corrections, and verified', async () => {
  const json = await fix(null, id, '--from', await written('{"record":3,"text":"2,Grace"}'), '--json')
  const corrected = JSON.parse(json.stdout).id as string
  const environment = { CSV_UPLOAD_URL: service.url }
  const got = await run(['get', corrected, '--as', 'dataset', '-o', 'copy'], { environment, cwd: scratch.path })
  assert.equal(got.code, 0, got.stderr)
  const verified = await run(['verify', 'copy'], { environment, cwd: scratch.path })
  assert.equal(verified.code, 0, verified.stdout + verified.stderr)
  assert.match(verified.stdout, /corrections/)
  for (const [from, to, what] of [
    ['2,Grace', '2,Grbce', /SHA-256/],
    ['"record":3', '"record":4', /SHA-256/],
  ] as const) {
    const path = join(scratch.path, 'copy/corrections')
    const before = await readFile(path, 'utf8')
    await writeFile(path, before.replace(from, to))
    const damaged = await run(['verify', 'copy'], { environment, cwd: scratch.path })
    assert.equal(damaged.code, 1)
    assert.match(damaged.stdout + damaged.stderr, what)
    await writeFile(path, before)
  }
})

async function written(content: string): Promise<string> {
  const path = join(scratch.path, 'edited.ndjson')
  await writeFile(path, content)
  return path
}

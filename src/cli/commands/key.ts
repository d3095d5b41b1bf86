// key: creates, lists and revokes API keys for a server. Does not know how a server uses them.
import { existsSync, readFileSync } from 'node:fs'
import { type Scope, scopes } from '../../access/access.ts'
import { formatKeys, type Key, newKey, parseKeys } from '../../access/api-keys.ts'
import { option } from '../../config/option.ts'
import { text } from '../../config/value-parsers.ts'
import { defineCommand, UsageError } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { replaceFile } from '../save-file.ts'
import { tableText } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

const actions = ['new', 'list', 'revoke'] as const

export const key = defineCommand({
  name: 'key',
  summary: 'create, list or revoke API keys for a server',
  usage: 'new|list|revoke [options]',
  about:
    '`new` prints the secret once, on standard output; only its hash is stored. With --file, the key is added to that file; otherwise its entry is printed on standard error. `list` shows the keys in a file, `revoke` removes one by name. `serve --keys` reads the file again when it changes.',
  options: {
    name: option('--name <name>', text('a name')).help(
      'Name of the key, unique in its file; also appears in the log of the server.',
    ),
    owner: option('--owner <owner>', text('an owner')).help(
      'Owner of the datasets that the key creates and sees; several keys may share one.',
    ),
    scopes: option(
      '--scopes <scopes>',
      { wanted: `some of ${scopes.join(', ')}, separated by commas`, parse: scopesOf },
      'upload,read',
    ).help(`What the key allows: some of ${scopes.join(', ')}, separated by commas.`),
    expires: option('--expires <time>', {
      wanted: 'a time such as 2027-01-31T00:00:00Z',
      parse: (given: string) => (Number.isNaN(Date.parse(given)) ? null : given),
    }).help('When the key expires. Default: never.'),
    file: option('--file <file>', text('a file')).help(
      'File of keys. `new` creates it if needed, readable only by you; for `-`, it prints the file, and the secret on standard error.',
    ),
  },
  examples: [
    ['csv-upload key new --name ci --owner team-a --file keys.json', 'For `csv-upload serve --keys keys.json`.'],
    ['csv-upload key list --file keys.json', 'Names, owners, scopes and expiry; no secrets.'],
    ['csv-upload key revoke --name ci --file keys.json', 'A running server rejects it within a second.'],
  ],
  args([given, ...others]) {
    const action = actions.find((one) => one === given)
    if (action !== undefined && others.length === 0) return action
    throw new UsageError('Cannot start: expected one of new, list, revoke')
  },
  async run({ terminal }, { json, name, file, ...given }, action) {
    if (action === 'list') await show(terminal, json, needed(file, '--file'))
    if (action === 'revoke') await revoke(terminal, json, needed(name, '--name'), needed(file, '--file'))
    if (action !== 'new') return exitCodes.ok
    const { owner, scopes, expires } = given
    if (name === null || owner === null) throw new UsageError('Cannot create a key: it needs --name and --owner')
    const made = newKey({ name, owner, scopes, ...(expires !== null && { expires }) })
    // A key that the server would reject is not created.
    parseKeys(formatKeys([made.key]))
    if (file === '-') {
      // To be redirected into a file: the secret goes where a person sees it.
      await terminal.print(formatKeys([made.key]))
      terminal.complain(made.secret)
      return exitCodes.ok
    }
    if (file !== null) {
      const before = existsSync(file) ? readKeys(file) : []
      if (before.some((one) => one.name === name)) {
        const message = `'${file}' has a key '${name}' already; revoke it, or use another name`
        throw new UsageError(`Cannot create a key: ${message}`)
      }
      await replaceFile(file, formatKeys([...before, made.key]))
    } else if (!json) terminal.complain(formatKeys([made.key]).trimEnd())
    await terminal.printResult(json, made, () => `${made.secret}\n`)
    return exitCodes.ok
  },
})

async function show(terminal: Terminal, asJson: boolean, file: string): Promise<void> {
  const keys = readKeys(file)
  if (asJson) {
    for (const { sha256: _, ...facts } of keys) await terminal.printJson(facts)
    return
  }
  const rows = keys.map(({ name, owner, scopes, expires = 'never' }) => [name, owner, scopes.join(','), expires])
  await terminal.print(tableText(['name', 'owner', 'scopes', 'expires'], rows, terminal.width))
}

async function revoke(terminal: Terminal, asJson: boolean, name: string, file: string): Promise<void> {
  const keys = readKeys(file)
  const left = keys.filter((one) => one.name !== name)
  if (left.length === keys.length) {
    const known = keys.map((one) => one.name).join(', ') || 'no keys'
    throw new UsageError(`Cannot revoke key '${name}': '${file}' has no such key, only ${known}`)
  }
  await replaceFile(file, formatKeys(left))
  await terminal.printResult(asJson, { revoked: name }, () => `Revoked ${name}.\n`)
}

function needed(value: string | null, flag: string): string {
  if (value === null) throw new UsageError(`Cannot start: it needs ${flag}`)
  return value
}

function scopesOf(given: string): readonly Scope[] | null {
  const wanted = given.split(',').map((scope) => scope.trim())
  const known = scopes.filter((scope) => wanted.includes(scope))
  return known.length === wanted.length ? known : null
}

function readKeys(path: string): readonly Key[] {
  return parseKeys(new TextDecoder().decode(readFileSync(path)), path)
}

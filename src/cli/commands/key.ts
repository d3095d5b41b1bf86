// key: makes API keys for a server. Knows nothing of how a server uses them.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { type Scope, scopes } from '../../access/access.ts'
import { formatKeys, type Key, newKey, parseKeys } from '../../access/api-keys.ts'
import { text } from '../../config/value-parsers.ts'
import { defineCommand, UsageError } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonLine } from '../terminal/printable.ts'

export const key = defineCommand({
  name: 'key',
  summary: 'make an API key for a server',
  usage: 'new --name <name> --owner <owner> [options]',
  about:
    'Prints the secret once, on standard output; only its hash is kept. With --file the key is added to that file, which `serve --keys` reads when it starts; without, what is to stand in it is printed on standard error.',
  options: {
    name: {
      flag: '--name',
      value: '<name>',
      fallback: null,
      ...text('a name'),
      help: 'What the key is called in the log of the server.',
    },
    owner: {
      flag: '--owner',
      value: '<owner>',
      fallback: null,
      ...text('an owner'),
      help: 'Whose datasets it makes and sees; several keys may have one owner.',
    },
    scopes: {
      flag: '--scopes',
      value: '<scopes>',
      fallback: 'upload,read',
      wanted: `some of ${scopes.join(', ')}, with commas between`,
      parse: scopesOf,
      help: `What it allows: ${scopes.join(', ')}.`,
    },
    expires: {
      flag: '--expires',
      value: '<time>',
      fallback: null,
      wanted: 'a time such as 2027-01-31T00:00:00Z',
      parse: (given: string) => (Number.isNaN(Date.parse(given)) ? null : given),
      help: 'From when on it is none; without, it is one for good.',
    },
    file: {
      flag: '--file',
      value: '<file>',
      fallback: null,
      ...text('a file'),
      help: 'File of keys to add it to; made where it is not there, readable by you alone.',
    },
  },
  examples: [
    {
      line: 'csv-upload key new --name ci --owner team-a --file keys.json',
      what: 'For `csv-upload serve --keys keys.json`.',
    },
  ],
  completes: 'words',
  words: ['new'],
  async run({ terminal }, { json, name, owner, scopes, expires, file }, args) {
    if (args.length !== 1 || args[0] !== 'new') throw new UsageError("Cannot start: wanted 'key new'")
    if (name === null || owner === null) throw new UsageError('Cannot make a key: it needs --name and --owner')
    const made = newKey({ name, owner, scopes, ...(expires !== null && { expires }) })
    // What the server would not read is not made.
    parseKeys(formatKeys([made.key]))
    if (file !== null) addKey(file, made.key)
    else if (!json) terminal.complain(formatKeys([made.key]).trimEnd())
    await terminal.print(json ? `${jsonLine(made)}\n` : `${made.secret}\n`)
    return exitCodes.ok
  },
})

function scopesOf(given: string): readonly Scope[] | null {
  const wanted = given.split(',').map((scope) => scope.trim())
  const known = scopes.filter((scope) => wanted.includes(scope))
  return known.length === wanted.length ? known : null
}

/** The file is replaced atomically, so that a server reads either the old or the new one. */
function addKey(path: string, made: Key): void {
  const before = existsSync(path) ? parseKeys(readFileSync(path, 'utf8')) : []
  const written = `${path}.${process.pid}`
  const file = openSync(written, 'wx', 0o600)
  try {
    writeSync(file, formatKeys([...before, made]))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(written, path)
}

// whoami: prints what a key allows on a server, and what its owner stores there. Knows how to show it.
import { type Caller, readCaller } from '../../../client/caller.ts'
import { defineCommand, noArguments, serverOptions } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { shownBytes, shownCount, shownMoment } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'

export const whoami = defineCommand({
  name: 'whoami',
  summary: 'show what your key allows',
  usage: '[options]',
  about:
    'Prints the name and owner of the key, what it allows, when it expires, and how much of the quota is used. With --json, prints the response of the server.',
  options: { ...serverOptions },
  examples: [
    { line: 'csv-upload whoami --key-file ci.key', what: 'What that key allows.' },
    { line: 'csv-upload whoami --json | jq .bytes.used', what: 'Bytes stored, for a script.' },
  ],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    noArguments(args)
    using client = connect(context, server)
    const caller = readCaller(await client.json('/qas/caller'))
    const lines = shown(caller).map(([what, value]) => `${what.padEnd(10)}${printable(value)}\n`)
    await context.terminal.print(json ? `${jsonLine(caller)}\n` : lines.join(''))
    return exitCodes.ok
  },
})

function shown(caller: Caller): readonly (readonly [string, string])[] {
  const { name, owner, scopes, expiresAt, bytes, datasets, limits } = caller
  return [
    ['key', name ?? 'none: the server requires no key'],
    ...(owner === null ? [] : [['owner', owner] as const]),
    ['may', scopes.join(', ') || 'nothing'],
    ['expires', expiresAt === null ? 'never' : shownMoment(expiresAt)],
    ['stored', used(bytes, shownBytes)],
    ['datasets', used(datasets, shownCount)],
    ['file', `at most ${shownBytes(limits.fileBytesMax)}`],
    ...(limits.requestsPerMinuteMax === null
      ? []
      : [['requests', `at most ${shownCount(limits.requestsPerMinuteMax)} per minute`] as const]),
  ]
}

function used(quota: Caller['bytes'], format: (amount: number) => string): string {
  return quota.max === null ? `${format(quota.used)}, no limit` : `${format(quota.used)} of ${format(quota.max)}`
}

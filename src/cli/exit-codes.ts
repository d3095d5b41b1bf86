// Exit codes: every way the command can end. Scripts branch on these, so a number never changes its meaning.

export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  rejects: 3,
  refusedKey: 4,
  network: 5,
  locked: 6,
  interrupted: 130,
  outputClosed: 141,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The meaning of each code, for help and docs. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'Success; for `serve`, stopped by a signal.',
  failed: 'Failed; standard error says why.',
  usage: 'Invalid command line, variable or configuration file; nothing was done.',
  rejects:
    'With `--fail-on-rejects` or `--fail-on`: all files were stored, and at least one has rejected records or such a verdict. For `fix`: at least one correction was refused.',
  refusedKey: 'The server requires an API key, or a different one (401, 403).',
  network: 'The server cannot be reached, or the connection was lost; for `serve`, the address cannot be used.',
  locked: 'For `serve`: another process uses the data directory.',
  interrupted: 'Stopped by Ctrl-C or SIGTERM, leaving nothing half done. For `serve`: by a second signal.',
  outputClosed: 'Standard output was closed by its reader, as `head` does.',
}

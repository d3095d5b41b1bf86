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

/** When each is met, in the words of help and docs. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'Done; for `serve`, stopped by a signal in good order.',
  failed: 'It failed; the line on standard error says why.',
  usage: 'The command line, a variable or the configuration file is wrong; nothing was done.',
  rejects: 'With `--fail-on-rejects`: all files were kept, and one has rejected records.',
  refusedKey: 'The server wants another API key, or one at all (401, 403).',
  network: 'The server cannot be reached, or the connection ended early; for `serve`, it cannot listen there.',
  locked: 'For `serve`: another process owns the data directory.',
  interrupted: 'Ended by Ctrl-C or SIGTERM; nothing half is left. For `serve`, by a second signal.',
  outputClosed: 'Whoever read standard output has gone, as `head` does.',
}

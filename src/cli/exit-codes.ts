// Exit codes: every way the command can end. Scripts branch on these, so a number never changes its meaning.

/** 3 and 4 are kept for later commands: a file with rejects, and a refused key. */
export const exitCodes = {
  /** Done, or stopped by a signal in good order. */
  ok: 0,
  /** It failed; the line on standard error says why. */
  failed: 1,
  /** The command line, a variable or the configuration file is wrong. */
  usage: 2,
  /** The address cannot be listened on: in use, or not ours. */
  network: 5,
  /** Another process owns the data directory. */
  locked: 6,
  /** Ended at once by a second signal. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

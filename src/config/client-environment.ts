// Client environment: environment variables of the commands that call a server. Knows no command.
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { environmentPrefix } from './options.ts'

/** Our variables that are not options of the service; `serve` ignores them. */
export const clientVariables = {
  url: `${environmentPrefix}URL`,
  key: `${environmentPrefix}KEY`,
  keyFile: `${environmentPrefix}KEY_FILE`,
} as const

/** The default server: where `serve` listens by default. */
export const defaultUrl = 'http://127.0.0.1:8080'

export type ClientEnvironment = Readonly<ReturnType<typeof readClientEnvironment>>

/** Reads the variables; an empty one counts as not set. */
export function readClientEnvironment(environment: Readonly<Record<string, string | undefined>> = process.env) {
  const given = (name: string) => environment[name] || null
  const state = given('XDG_STATE_HOME')
  return {
    url: given(clientVariables.url),
    key: given(clientVariables.key),
    keyFile: given(clientVariables.keyFile),
    /** A command that opens a file for editing. */
    editor: given('VISUAL') ?? given('EDITOR'),
    /** Directory for the state of the user's programs; ignores relative paths (XDG Base Directory Specification 0.8). */
    stateDir: state !== null && isAbsolute(state) ? state : join(homedir(), '.local', 'state'),
    /** True on a build machine, which may emulate a terminal although nobody watches progress there. */
    isBuild: given('CI') !== null,
    /** The processes above the launcher, if npm or npx started it and it became this process; see scripts/setup.mjs. */
    startedBy: given('STARTED_BY'),
  }
}

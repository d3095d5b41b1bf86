// Deploy tools: what checks the files of deploy/, installed once below build/ where it can be had. Knows not what it is for.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { deployCheckers, goProgram, type Tools } from './client-generators.ts'

/** hadolint for Dockerfiles, and kubernetes-validate with the schemas of Kubernetes: `dir` has them in `bin`. */
export const checkers: () => Promise<Tools> = deployCheckers

/** What reads compose files: `dir` has the program `cmd`. */
export function composeReader(): Promise<Tools> {
  return goProgram('github.com/compose-spec/compose-go/v2/cmd', 'v2.9.0')
}

/** Helm, which takes minutes to build: only where it is installed. */
export function helm(): { readonly path: string } | { readonly missing: string } {
  const built = join(homedir(), 'go', 'bin', 'helm')
  if (existsSync(built)) return { path: built }
  if (spawnSync('helm', ['version']).status === 0) return { path: 'helm' }
  return { missing: 'no helm: go install helm.sh/helm/v3/cmd/helm@v3.19.0' }
}

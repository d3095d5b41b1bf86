// Own manifest: what the package.json of this program says about it.
import { readFileSync } from 'node:fs'

const manifestUrl = new URL('../../package.json', import.meta.url)

/** The version, and the oldest Node that it runs on: a checkout states that of its package. */
export function ownManifest(): { readonly version: string; readonly nodeVersionMin: string } {
  // Our own file, checked by tests.
  const { version, engines, publishConfig } = JSON.parse(readFileSync(manifestUrl, 'utf8'))
  return { version, nodeVersionMin: (publishConfig?.engines ?? engines).node.replace('>=', '') }
}

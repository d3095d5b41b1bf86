// Package: packs what is published, after `npm pack` has packed the checkout, whose manifest brings Node. Packs again
// under the same name, from a directory with a manifest of its own. Run by npm as `postpack`.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { npm, root, SetupError } from './setup.mjs'

/** Packages for a bucket and for copies into PostgreSQL. Without them, `--store` and `--copy-to` say what to install. */
const optionalParts = ['@aws-sdk/client-s3', 'pg', 'pg-copy-streams']

const { publishConfig, dependencies, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
for (const name of ['private', 'scripts', 'optionalDependencies', 'devDependencies']) delete manifest[name]
Object.assign(manifest, publishConfig, {
  dependencies,
  peerDependencies: Object.fromEntries(optionalParts.map((name) => [name, `^${dependencies[name]}`])),
  peerDependenciesMeta: Object.fromEntries(optionalParts.map((name) => [name, { optional: true }])),
})
for (const name of optionalParts) delete dependencies[name]

// Its own, so that two packs at once do not meet.
const dir = join(root, 'build', `package-${process.pid}`)
try {
  mkdirSync(dir, { recursive: true })
  for (const name of [...manifest.files, 'README.md', 'LICENSE']) {
    cpSync(join(root, name), join(dir, name), { recursive: true })
  }
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const { INIT_CWD = root, npm_config_pack_destination: destination = '.' } = process.env
  const { status, stderr } = npm(['pack', dir, '--pack-destination', resolve(INIT_CWD, destination)])
  if (status !== 0) throw new SetupError(`Cannot pack the package: ${stderr}`)
} finally {
  rmSync(dir, { recursive: true, force: true })
}

// Tests of the image: built from deploy/Dockerfile by Podman and run as the Compose file runs it. Where no registry of
// containers can be reached, its base is made of a Debian and the Node and npm of this machine.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const image = 'localhost/csv-upload-under-test'
const has = (program: string) => spawnSync(program, ['--version']).error === undefined
const missing = ['podman', 'runc', 'debootstrap'].filter((program) => !has(program))
const skip = process.getuid?.() !== 0 ? 'not root' : missing.length > 0 && `no ${missing.join(', ')}`
const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

interface Printed {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** runc: crun needs rights that a machine without systemd may lack. */
function podman(...args: readonly string[]): Printed {
  return spawnSync('podman', ['--runtime', 'runc', ...args], { encoding: 'utf8', maxBuffer: 67_108_864 })
}

function done({ status, stdout, stderr }: Printed): string {
  assert.equal(status, 0, stdout + stderr)
  return stdout
}

/** The base that the Dockerfile names. */
function makeBase(): void {
  const [, name = ''] = /^FROM (node:\S+)$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')) ?? []
  const full = `docker.io/library/${name}`
  if (podman('image', 'exists', full).status === 0 || podman('pull', full).status === 0) return
  const base = join(scratch.path, 'base')
  const suite = name.split('-')[1]!
  const options = ['--variant=minbase', '--include=ca-certificates,libstdc++6']
  done(spawnSync('debootstrap', [...options, suite, base, 'http://deb.debian.org/debian'], { encoding: 'utf8' }))
  const local = join(base, 'usr/local')
  copyFileSync(process.execPath, join(local, 'bin/node'))
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim()
  cpSync(dirname(dirname(realpathSync(npm))), join(local, 'lib/node_modules/npm'), {
    recursive: true,
    dereference: true,
  })
  for (const one of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${one}-cli.js`, join(local, 'bin', one))
  const authorities = 'etc/ssl/certs/ca-certificates.crt'
  copyFileSync(`/${authorities}`, join(base, authorities))
  writeFileSync(join(local, 'lib/node_modules/npm/npmrc'), `cafile=/${authorities}\n`)
  done(spawnSync('chroot', [base, 'useradd', '-u', '1000', '-m', 'node'], { encoding: 'utf8' }))
  const archive = join(scratch.path, 'base.tar')
  done(spawnSync('tar', ['-C', base, '-cf', archive, '.'], { encoding: 'utf8' }))
  done(
    podman(
      ...'image import --change'.split(' '),
      'ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      archive,
      full,
    ),
  )
  rmSync(base, { recursive: true })
}

const limits = ['--ulimit', 'nofile=4096', '--ulimit', 'nproc=512:512', '--network', 'host']
const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
const profile = ['--security-opt', `seccomp=${join(root, 'deploy/seccomp.json')}`]

test('the image runs as the Compose file runs it: no root, read-only, confined children, SIGTERM', {
  skip,
}, async (t) => {
  makeBase()
  done(
    podman(
      'build',
      '--network',
      'host',
      '--format',
      'docker',
      '-f',
      join(root, 'deploy/Dockerfile'),
      '-t',
      image,
      root,
    ),
  )
  const keys = join(scratch.path, 'keys')
  mkdirSync(keys)
  const made = podman('run', '--rm', ...limits, image, 'key', 'new', '--name', 'ci', '--owner', 'a', '--file', '-')
  writeFileSync(join(keys, 'keys.json'), done(made))
  const [secret = ''] = /csvu\w*_\S+/.exec(made.stderr) ?? [made.stderr.trim().split('\n').at(-1) ?? '']
  for (const path of [join(keys, 'keys.json'), keys]) chownSync(path, 1000, 1000)
  chmodSync(join(keys, 'keys.json'), 0o440)
  const port = await freePort()
  const environment = ['-e', 'CSV_UPLOAD_KEYS=/etc/csv-upload/keys.json', '-e', `CSV_UPLOAD_PORT=${port}`]
  const name = `csv-upload-${port}`
  t.after(() => podman('rm', '-f', '-v', name))
  const volumes = ['-v', '/data', '-v', `${keys}:/etc/csv-upload:ro`]
  done(podman('run', '-d', '--name', name, ...limits, ...hardened, ...profile, ...volumes, ...environment, image))
  const url = `http://127.0.0.1:${port}`
  const statusOf = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      () => 0,
    )
  await until('it is ready', async () => (await statusOf('/readyz')) === 200)
  const log = () => podman('logs', name).stdout
  assert.match(log(), /"holds":"no network, no privileges, nothing but its job"/)
  assert.doesNotMatch(log(), /"level":(?:40|50)/)
  const form = new FormData()
  form.append('file', new Blob(['a,b\n1,2\n']), 'a.csv')
  const headers = { authorization: `Bearer ${secret}` }
  assert.equal((await fetch(`${url}/qas/uploadCsv`, { method: 'POST', body: form, headers })).status, 200)
  const inside = podman('exec', name, 'sh', '-c', 'id -u; touch /opt/x 2>&1')
  assert.match(inside.stdout, /^1000\n.*Read-only file system/)
  // It asks the port that was set.
  done(podman('healthcheck', 'run', name))
  done(podman('stop', '-t', '30', name))
  assert.equal(done(podman('inspect', name, '--format', '{{.State.ExitCode}}')).trim(), '0')
})

test('an image whose volume belongs to another user says so and whose it is', { skip }, () => {
  const data = join(scratch.path, 'of-root')
  mkdirSync(data, { mode: 0o755 })
  const open = ['-e', 'CSV_UPLOAD_OPEN_TO_ANYONE=yes', '-e', 'CSV_UPLOAD_PORT=0']
  const { status, stderr } = podman('run', '--rm', ...limits, ...hardened, '-v', `${data}:/data`, ...open, image)
  assert.equal(status, 1)
  assert.match(stderr, /\/data belongs to user 0, and this process runs as user 1000: change its owner/)
})

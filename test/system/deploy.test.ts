// Tests of the files of deploy/: valid for Docker, Compose, Kubernetes and Caddy, as far as can be checked without a
// run.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { parseDuration } from '../../src/core/units.ts'
import { checkers, composeReader, helm } from '../support/deploy-tools.ts'

const root = join(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
const [forDeploy, compose] = [await checkers(), await composeReader()]
const scratch = await mkdtemp(join(tmpdir(), 'deploy-'))
after(() => rm(scratch, { recursive: true, force: true }))

/** The output of a program. @throws {Error} with its output, if it fails. */
function printed(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 16_777_216 })
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${error ?? stdout + stderr}`)
  return stdout
}

const noCheckers = 'missing' in forDeploy && forDeploy.missing
const bin = 'dir' in forDeploy ? join(forDeploy.dir, 'bin') : ''

test('hadolint reports nothing for the Dockerfile', { skip: noCheckers }, () => {
  assert.equal(printed(join(bin, 'hadolint'), [join(deploy, 'Dockerfile')]), '')
})

test('the build context has all files that the Dockerfile copies, and the image runs without root', async () => {
  const dockerfile = await readFile(join(deploy, 'Dockerfile'), 'utf8')
  const kept = (await readFile(`${join(deploy, 'Dockerfile')}.dockerignore`, 'utf8'))
    .split('\n')
    .flatMap((line) => /^!(.*)/.exec(line)?.[1] ?? [])
  for (const name of kept) assert.ok(existsSync(join(root, name)), name)
  const copied = dockerfile.split('\n').flatMap((line) => /^COPY (?!--from)(.*) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
  assert.ok(copied.length > 4)
  for (const path of copied) {
    assert.ok(existsSync(join(root, path)), path)
    assert.ok(path === '.' || kept.includes(path.split('/')[0]!), path)
  }
  assert.match(dockerfile, /^USER [1-9]\d*:[1-9]\d*$/m)
  const [node] = /^node:(\d+)/m.exec(dockerfile.replaceAll('FROM ', '')) ?? []
  assert.equal(node, `node:${process.versions.node.split('.')[0]}`)
  readConfig([], variablesIn(dockerfile))
})

/** Variables of the service that a text sets by `NAME=value`. A public host needs keys, which no image has. */
function variablesIn(text: string): Readonly<Record<string, string>> {
  const set = [...text.matchAll(/\b(CSV_UPLOAD_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value])
  return { ...Object.fromEntries(set), CSV_UPLOAD_OPEN_TO_ANYONE: 'yes' }
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
}

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly volumes?: readonly { readonly source: string; readonly target: string; readonly type: string }[]
}

for (const [name, replicas] of [
  ['compose.yaml', 1],
  ['compose.replicas.yaml', 3],
] as const) {
  test(`${name} is a valid Compose file whose services run read-only, with existing options`, {
    skip: 'missing' in compose && compose.missing,
  }, async () => {
    const dir = join(scratch, name)
    await cp(deploy, dir, { recursive: true })
    // Values that users must set.
    const text = (await readFile(join(dir, name), 'utf8')).replaceAll(':?}', ':-given}')
    await writeFile(join(dir, name), text)
    const program = join('dir' in compose ? compose.dir : '', 'cmd')
    const { services } = JSON.parse(printed(program, ['-format', 'json', join(dir, name)])) as ComposeFile
    const ours = Object.values(services).filter(({ environment = {} }) => 'CSV_UPLOAD_KEYS' in environment)
    assert.equal(ours.length, replicas)
    const dataOf = ours.map(({ volumes = [] }) => volumes.find(({ target }) => target === '/data')?.source)
    assert.equal(new Set(dataOf).size, replicas)
    for (const { environment = {}, stop_grace_period: grace = '', volumes = [], ...service } of ours) {
      const { read_only: isReadOnly, cap_drop: dropped, security_opt: options = [] } = service
      assert.deepEqual([isReadOnly, dropped], [true, ['ALL']])
      assert.ok(options.some((one) => one.startsWith('seccomp') && existsSync(join(dir, one.slice('seccomp:'.length)))))
      // A file that is mounted stays the old one when it is replaced, with revoked keys.
      const keys = volumes.find(({ target }) => target === dirname(environment.CSV_UPLOAD_KEYS ?? ''))
      assert.deepEqual([keys?.type, basename(keys?.source ?? '')], ['bind', 'keys'])
      const config = readConfig([], { ...environment, CSV_UPLOAD_HOST: '0.0.0.0' })
      const graceMs = parseDuration(grace.replace(/^(\d+)m0s$/, '$1m'))
      assert.ok(graceMs !== null && graceMs > config.shutdownGraceMs, grace)
    }
    await writeFile(join(dir, name), text.replace('cap_drop', 'cap_dropped'))
    assert.throws(() => printed(program, [join(dir, name)]), /cap_dropped/)
  })
}

const caddy = spawnSync('caddy', ['version']).status === 0
test('Caddy accepts its file', { skip: !caddy && 'no caddy' }, () => {
  process.env.CSV_UPLOAD_NAME = 'localhost'
  process.env.CSV_UPLOAD_UPSTREAMS = 'replica-1:8080 replica-2:8080'
  for (const name of ['compose.Caddyfile', 'Caddyfile']) {
    printed('caddy', ['validate', '--adapter', 'caddyfile', '--config', join(deploy, name)])
  }
})

const noNginx = spawnSync('nginx', ['-v']).error !== undefined && 'no nginx'
const noOpenssl = spawnSync('openssl', ['version']).error !== undefined && 'no openssl'
test('nginx accepts its file', { skip: noNginx || noOpenssl }, async () => {
  const [certificate, key] = [join(scratch, 'nginx.pem'), join(scratch, 'nginx.key')]
  const names = ['-subj', '/CN=csv.example.org', '-days', '2', '-nodes']
  printed('openssl', ['req', '-new', '-x509', ...names, '-out', certificate, '-keyout', key])
  const text = (await readFile(join(deploy, 'nginx.conf'), 'utf8'))
    .replace('/etc/ssl/csv.example.org.pem', certificate)
    .replace('/etc/ssl/csv.example.org.key', key)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${scratch}/${one};`,
  )
  const around = `pid ${scratch}/nginx.pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}`
  const path = join(scratch, 'nginx.conf')
  const check = (server: string) => {
    return writeFile(path, `${around}\n${server}\n}`).then(() => printed('nginx', ['-t', '-c', path]))
  }
  await check(text)
  await assert.rejects(check(text.replace('proxy_buffering off', 'proxy_buffers off')), /proxy_buffers/)
})

/** Skips if systemd cannot check the unit: `security` checks units that are not installed only since version 250. */
const plainUnit = join(scratch, 'plain.service')
await writeFile(plainUnit, '[Service]\nExecStart=/usr/bin/env true\n')
const isChecked = [['verify'], ['security', '--offline=true', '--threshold=100']].every(
  (args) => spawnSync('systemd-analyze', [...args, plainUnit]).status === 0,
)
const noSystemd = !isChecked && 'no systemd-analyze that checks units here'
test('systemd accepts the unit, and rates its exposure as low', { skip: noSystemd }, async () => {
  const unit = join(deploy, 'csv-upload.service')
  const path = join(scratch, 'csv-upload.service')
  const check = (text: string) => {
    return writeFile(path, text).then(() => spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' }))
  }
  const text = await readFile(unit, 'utf8')
  const { status, stderr } = await check(text)
  assert.equal(status, 0, stderr)
  // Lines that systemd does not understand.
  assert.doesNotMatch(stderr, /csv-upload\.service:\d+:/)
  assert.match((await check(text.replace('NoNewPrivileges', 'NoNewPrivilege'))).stderr, /csv-upload\.service:\d+:/)
  const exposed = (of: string) =>
    spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=60', of]).status
  assert.equal(exposed(unit), 0)
  await writeFile(
    path,
    text.replaceAll(/^(?:Protect|Private|Restrict|System|Capability|NoNew|Memory|Lock)\w+=.*$/gm, ''),
  )
  assert.notEqual(exposed(path), 0)
})

const chart = helm()
const noChart = 'missing' in chart ? chart.missing : noCheckers
const required = ['--set', 'keys.existingSecret=keys']
const withStore = [...required, '--set', 'store=s3://datasets/prod']

function rendered(...args: readonly string[]): string {
  return printed('path' in chart ? chart.path : 'helm', [
    'template',
    'prod',
    join(deploy, 'helm'),
    '--kube-version',
    '1.29.0',
    ...args,
  ])
}

test('the Helm chart has the version of the package, and the docs tag the image that it names', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string }
  const text = await readFile(join(deploy, 'helm/Chart.yaml'), 'utf8')
  assert.deepEqual(/^appVersion: (.*)$/m.exec(text)?.[1], version)
  const [, repository] = /repository: (.*)/.exec(await readFile(join(deploy, 'helm/values.yaml'), 'utf8')) ?? []
  const page = await readFile(join(root, 'docs/deployment.md'), 'utf8')
  const tags = [...page.matchAll(/docker build .*-t (\S+)/g)].map(([, tag]) => tag)
  assert.deepEqual(tags, [`${repository}:${version}`])
})

test('the Helm chart makes valid Kubernetes objects, for one pod and for many', { skip: noChart }, async () => {
  const program = 'path' in chart ? chart.path : 'helm'
  printed(program, ['lint', '--strict', join(deploy, 'helm'), ...required])
  const many = [
    ...withStore,
    ...['--set', 'replicas=3,autoscaling.enabled=true,ingress.enabled=true,ingress.tlsSecret=tls'],
    ...['--set', 's3.endpoint=https://s3.example.org,s3.pathStyle=true,s3.existingSecret=bucket'],
    ...['--set', 'environment.CSV_UPLOAD_KEEP_FOR=30d,allowedHosts={csv.example.org}'],
  ]
  for (const [i, args] of [required, many].entries()) {
    const text = rendered(...args)
    const kinds = [...text.matchAll(/^kind: (.*)$/gm)].map(([, kind]) => kind).toSorted()
    const single = ['PodDisruptionBudget', 'Service', 'ServiceAccount', 'StatefulSet']
    assert.deepEqual(kinds, i === 0 ? single : ['HorizontalPodAutoscaler', 'Ingress', ...single])
    const path = join(scratch, `objects-${i}.yaml`)
    await writeFile(path, text)
    printed(join(bin, 'kubernetes-validate'), ['--strict', '-k', '1.29', path])
    printed(join(bin, 'kubernetes-validate'), ['--strict', path])
    const [, grace] = /terminationGracePeriodSeconds: (\d+)/.exec(text) ?? []
    const variables = [...text.matchAll(/- name: (CSV_UPLOAD_\w+)\n\s+value: "?([^"\n]*)"?/g)]
    const environment = Object.fromEntries(variables.map(([, name = '', value = '']) => [name, value]))
    const config = readConfig([], { ...environment, CSV_UPLOAD_HOST: '0.0.0.0' })
    assert.ok(Number(grace) * 1_000 > config.shutdownGraceMs)
    await writeFile(path, text.replace('terminationGracePeriodSeconds', 'terminationGrace'))
    assert.throws(() => printed(join(bin, 'kubernetes-validate'), ['--strict', path]), /terminationGrace/)
  }
})

const tokens = ['--set', 'environment.CSV_UPLOAD_JWT_KEYS=https://id.example.org/jwks']

/** The variables of the service, with the values of a file. */
async function chartOf(values: object, ...args: readonly string[]) {
  const path = join(scratch, 'values.yaml')
  // JSON is YAML, too. In a file, Helm reads every number as a float.
  await writeFile(path, JSON.stringify(values))
  const text = rendered(...args, '-f', path)
  const variable = (name: string) => new RegExp(`- name: CSV_UPLOAD_${name}\\n\\s+value: "(.*)"`).exec(text)?.[1]
  return { text, variable }
}

test('the Helm chart passes on numbers, hosts, tokens, volumes and secrets as they are', {
  skip: noChart,
}, async () => {
  const mounts = {
    extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/ca' }],
  }
  const environment = { CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE: 10_000_000, CSV_UPLOAD_S3_PATH_STYLE: true }
  const times = { shutdownGraceSeconds: 1_000_000, preStopSeconds: 20 }
  const { text, variable } = await chartOf(
    { ...mounts, ...times, environment, ingress: { enabled: true }, allowedHosts: ['a', 'csv.example.org'] },
    ...[...tokens, '--set', 'image.pullSecrets={registry}'],
  )
  assert.equal(variable('MAX_UPLOAD_SIZE_PER_FILE'), '10000000')
  assert.equal(variable('S3_PATH_STYLE'), 'true')
  assert.equal(variable('SHUTDOWN_GRACE'), '1000000s')
  assert.equal(variable('ALLOW_HOST'), 'a,csv.example.org')
  assert.equal(variable('KEYS'), undefined)
  assert.doesNotMatch(text, /secretName|e\+\d/)
  assert.match(text, /terminationGracePeriodSeconds: 1000050\n/)
  assert.match(text, /command: \[sleep, "20"\]/)
  assert.match(text, /imagePullSecrets:\n +- name: registry\n/)
  assert.match(text, /enableServiceLinks: false/)
  assert.match(text, /- mountPath: \/ca\n +name: ca\n/)
  assert.match(text, /- configMap:\n +name: ca\n +name: ca\n/)
  const path = join(scratch, 'tokens.yaml')
  await writeFile(path, text)
  printed(join(bin, 'kubernetes-validate'), ['--strict', path])
  assert.equal((await chartOf({ ingress: { host: 'b' } }, ...required)).variable('ALLOW_HOST'), undefined)
})

test('the schema of the values refuses what the chart does not know', { skip: noChart }, async () => {
  for (const values of [{ replica: 3 }, { replicas: '3' }, { store: 'bucket' }, { keys: { secret: 'a' } }]) {
    await assert.rejects(chartOf(values, ...required), /replica|store|keys/)
  }
  const given = JSON.parse(await readFile(join(deploy, 'helm/values.schema.json'), 'utf8')) as { properties: object }
  const text = await readFile(join(deploy, 'helm/values.yaml'), 'utf8')
  const names = [...text.matchAll(/^(\w+):/gm)].map(([, name]) => name)
  assert.deepEqual(Object.keys(given.properties).toSorted(), [...names, 'global'].toSorted())
})

test('the Helm chart refuses several pods without a bucket, and pods without keys', { skip: noChart }, () => {
  assert.throws(() => rendered(...required, '--set', 'replicas=2'), /needs a store/)
  assert.throws(() => rendered(...required, '--set', 'autoscaling.enabled=true'), /needs a store/)
  assert.throws(() => rendered(), /keys\.existingSecret/)
})

test('config.json of deploy/ has only existing options', () => {
  readConfig(['--config', join(deploy, 'config.json')], {})
})

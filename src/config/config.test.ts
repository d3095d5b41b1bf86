// Tests of the sources of options, and of invalid ones.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig } from './config.ts'
import type { Option } from './option.ts'
import { allOptions, environmentName, fileKey, options } from './options.ts'

test('readConfig() returns the defaults of the specification if nothing is set', () => {
  const config = readConfig([], { PATH: '/bin', HOME: '/' })
  assert.partialDeepStrictEqual(config, {
    host: '127.0.0.1',
    port: 8080,
    dataDir: './data',
    multipartFileBytesMax: 1_048_576_000,
    requestBytesMax: 1_048_576_000,
    resolverFileMax: 10_000_000,
    resolverFileUnit: 'KB',
    fileBytesMax: 1_048_576_000,
    ownerBytesMax: Number.POSITIVE_INFINITY,
    converterCount: availableParallelism(),
    keepMs: Number.POSITIVE_INFINITY,
    allowedHosts: [],
    sandbox: 'available',
  })
  assert.ok(Object.isFrozen(config))
})

test('readConfig() prefers the command line, then the environment, then the file, then the default', (t) => {
  const file = fileOf(t, { port: 1, host: 'localhost', uploadsMax: '3', logLevel: 'warn' })
  const environment = { CSV_UPLOAD_PORT: '2', CSV_UPLOAD_HOST: '127.0.0.2', CSV_UPLOAD_CONFIG: file }
  const config = readConfig(['--port', '3'], environment)
  assert.equal(config.port, 3)
  assert.equal(config.host, '127.0.0.2')
  assert.equal(config.uploadsMax, 3)
  assert.equal(config.segmentBytes, 16_777_216)
  assert.equal(readConfig(['--config', file], { CSV_UPLOAD_CONFIG: '/nowhere' }).logLevel, 'warn')
})

test('readConfig() ignores what Kubernetes sets for a service named csv-upload, and says so in one line', () => {
  const injected = {
    CSV_UPLOAD_PORT: 'tcp://10.0.0.1:80',
    CSV_UPLOAD_PORT_80_TCP: 'tcp://10.0.0.1:80',
    CSV_UPLOAD_PORT_80_TCP_ADDR: '10.0.0.1',
    CSV_UPLOAD_PORT_80_TCP_PORT: '80',
    CSV_UPLOAD_PORT_80_TCP_PROTO: 'tcp',
    CSV_UPLOAD_SERVICE_HOST: '10.0.0.1',
    CSV_UPLOAD_SERVICE_PORT: '80',
    CSV_UPLOAD_SERVICE_PORT_HTTP: '80',
    CSV_UPLOAD_CSV_UPLOAD_SERVICE_HOST: '10.0.0.1',
    CSV_UPLOAD_CSV_UPLOAD_PORT: 'tcp://10.0.0.1:80',
  }
  const said: string[] = []
  const { port, host } = readConfig([], { ...injected, CSV_UPLOAD_HOST: '127.0.0.2' }, (line) => said.push(line))
  assert.deepEqual([port, host], [8080, '127.0.0.2'])
  assert.equal(said.length, 1)
  for (const name of Object.keys(injected)) assert.match(said[0]!, new RegExp(`\\b${name}\\b`))
  assert.throws(() => readConfig([], { CSV_UPLOAD_PORT: '80x' }), /Cannot use CSV_UPLOAD_PORT/)
  assert.throws(() => readConfig([], { CSV_UPLOAD_PORTS: '80' }), /CSV_UPLOAD_PORTS/)
  assert.throws(() => readConfig([], { CSV_UPLOAD_SERVICES: '80' }), /CSV_UPLOAD_SERVICES/)
})

test('readConfig() reads a file with a byte order mark', (t) => {
  const file = fileOf(t, {})
  writeFileSync(file, '\ufeff{"port": 1}')
  assert.equal(readConfig(['--config', file], {}).port, 1)
})

test('readConfig() applies the smaller of the two file limits, in the configured unit', () => {
  const limit = (environment: Record<string, string>) => readConfig([], environment).fileBytesMax
  assert.equal(limit({ CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE_UNIT: 'B' }), 10_000_000)
  assert.equal(limit({ CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE_UNIT: 'MB' }), 1_048_576_000)
  assert.equal(limit({ CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE: '3' }), 3_072)
  assert.equal(limit({ CSV_UPLOAD_MAX_FILE_SIZE: '1000' }), 1_000)
  assert.equal(limit({ CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE: '1024000' }), 1_048_576_000)
  assert.equal(limit({ CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE: '1023999' }), 1_048_574_976)
})

test('readConfig() refuses an address that others can reach unless that is explicitly allowed', () => {
  for (const host of ['0.0.0.0', '::', '192.168.0.7', 'csv.example.org', '127.0.0.1.example.org']) {
    assert.throws(() => readConfig(['--host', host], {}), /Cannot use --host: given ".+--open-to-anyone yes/)
    assert.equal(readConfig(['--host', host, '--open-to-anyone', 'yes'], {}).host, host)
  }
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '::1']) readConfig(['--host', host], {})
})

test('readConfig() accepts origins as browsers send them, and nothing else', () => {
  const read = (text: string) => readConfig(['--allow-origin', text], {}).allowedOrigins
  assert.deepEqual(read(''), [])
  assert.deepEqual(read('http://localhost:3000, HTTPS://App.example.org'), [
    'http://localhost:3000',
    'https://app.example.org',
  ])
  for (const wrong of ['*', 'null', 'localhost:3000', 'http://a.example/', 'http://a.example:80', 'ftp://a.example']) {
    refuses(['--allow-origin', wrong], {}, /expected origins such as/)
  }
})

test('readConfig() reads host names separated by commas', () => {
  const names = (text: string) => readConfig(['--allow-host', text], {}).allowedHosts
  assert.deepEqual(names('CSV.example.org, other'), ['csv.example.org', 'other'])
  assert.throws(() => names('csv.example.org:443'), /host names without port/)
})

test('readConfig() takes yes and no as other programs write them', () => {
  const pathStyle = (text: string) => readConfig([], { CSV_UPLOAD_S3_PATH_STYLE: text }).s3PathStyle
  assert.deepEqual(['yes', 'true', 'True', 'on', '1'].map(pathStyle), Array(5).fill(true))
  assert.deepEqual(['no', 'false', 'OFF', '0'].map(pathStyle), Array(4).fill(false))
  for (const wrong of ['y', '2', 'constructor']) refuses(['--s3-path-style', wrong], {}, /expected yes or no$/)
})

test('readConfig() warns of a size below 1 KB without a unit, and of no other value', () => {
  const lines: string[] = []
  const file = { CSV_UPLOAD_QUOTA_SIZE: '1023', CSV_UPLOAD_CACHE_SIZE_MAX: '0', CSV_UPLOAD_MAX_REQUEST_SIZE: '1024' }
  const argv = ['--max-file-size', '10', '--cache-size-max', '10B']
  assert.equal(readConfig(argv, file, (line) => lines.push(line)).fileBytesMax, 10)
  assert.deepEqual(lines.toSorted(), [
    'Warning: --max-file-size: 10 is a number of bytes; for megabytes, write 10MB',
    'Warning: CSV_UPLOAD_QUOTA_SIZE: 1023 is a number of bytes; for megabytes, write 1023MB',
  ])
})

test('readConfig() treats an empty variable as not set', () => {
  assert.equal(readConfig([], { CSV_UPLOAD_PORT: '' }).port, 8080)
})

test('readConfig() shows an invalid value as given', (t) => {
  refuses(['--port', '65536'], {}, 'Cannot use --port: given "65536", expected a whole number from 0 to 65535')
  refuses(['--port=-1'], {}, 'Cannot use --port: given "-1", expected a whole number from 0 to 65535')
  for (const proxies of ['proxy.example.org', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0']) {
    refuses(['--trusted-proxies', proxies], {}, /expected addresses or networks such as/)
  }
  refuses(
    [],
    { CSV_UPLOAD_MAX_FILE_SIZE: '1 XB' },
    /^Cannot use CSV_UPLOAD_MAX_FILE_SIZE: given "1 XB", expected a size/,
  )
  refuses([], { CSV_UPLOAD_LOG_LEVEL: 'loud' }, /expected one of silent, error, warn, info, debug$/)
  const file = fileOf(t, { bodyIdleTime: 'soon' })
  refuses(
    ['--config', file],
    {},
    `Cannot use bodyIdleTime in ${file}: given "soon", expected a duration such as 500ms, 30s, 1h30m, 7d or 90 (seconds)`,
  )
  const nested = fileOf(t, { port: [1] })
  refuses(['--config', nested], {}, `Cannot use port in ${nested}: given [1], expected text or a number`)
})

test('readConfig() refuses unknown options and suggests the closest', (t) => {
  refuses(
    ['--max-files-size', '1'],
    {},
    'Cannot use --max-files-size: there is no such option; did you mean --max-file-size?',
  )
  refuses(['-p', '1'], {}, /^Cannot use -p: there is no such option/)
  refuses(['8080'], {}, "Cannot use argument '8080': expected options only")
  refuses(['--port'], {}, 'Cannot use --port: it has no value')
  refuses(
    [],
    { CSV_UPLOAD_MAX_FILESIZE: '1' },
    /^Cannot use CSV_UPLOAD_MAX_FILESIZE: .* did you mean CSV_UPLOAD_MAX_FILE_SIZE\?$/,
  )
  const file = fileOf(t, { prot: 1 })
  refuses(['--config', file], {}, `Cannot use prot in ${file}: there is no such option; did you mean port?`)
  const own = fileOf(t, { config: 'other.json' })
  refuses(['--config', own], {}, /^Cannot use config in /)
})

test('readConfig() says why a file cannot be used', (t) => {
  refuses(['--config', '/no/such/file.json'], {}, /^Cannot use --config: cannot read "\/no\/such\/file.json" \(ENOENT/)
  refuses([], { CSV_UPLOAD_CONFIG: fileOf(t, [1]) }, /^Cannot use CSV_UPLOAD_CONFIG: .* holds something else/)
})

test('every option accepts its limits and refuses one beyond them', () => {
  const edges: [keyof typeof options, string, string, string, string][] = [
    // option, one below, lowest, highest, one above
    ['port', '-1', '0', '65535', '65536'],
    ['multipartFileBytesMax', '0', '1', '9007199254740991', '9007199254740992'],
    ['requestBytesMax', '0B', '1B', '8191TB', '8192TB'],
    ['resolverFileMax', '0', '1', '1099511627776', '1099511627777'],
    ['uploadsMax', '0', '1', '10000', '10001'],
    ['converterCount', '0', '1', '256', '257'],
    ['bodyIdleMs', '99ms', '100ms', '24h', '86400001ms'],
    ['bodyBytesPerSecondMin', '-1', '0', '1GB', '1073741825'],
    ['headersMs', '99ms', '100ms', '1h', '3600001ms'],
    ['shutdownGraceMs', '-1s', '0s', '24h', '86400001ms'],
    ['recordBytesMax', '1023', '1KB', '256MB', '268435457'],
    ['segmentBytes', '65535', '64KB', '1GB', '1073741825'],
    ['convertMsMax', '999ms', '1s', '24h', '86400001ms'],
  ]
  for (const [name, below, lowest, highest, above] of edges) {
    const { parse }: Option<unknown> = options[name]
    assert.deepEqual([parse(below), parse(above)], [null, null], name)
    assert.notEqual(parse(lowest), null, name)
    assert.notEqual(parse(highest), null, name)
  }
  assert.equal(options.host.parse(' '), null)
  assert.equal(options.dataDir.parse('a\0b'), null)
  assert.equal(options.resolverFileUnit.parse('GB'), null)
})

test('environmentName() and fileKey() derive their names from the flag', () => {
  assert.equal(environmentName('--max-upload-size-per-file-unit'), 'CSV_UPLOAD_MAX_UPLOAD_SIZE_PER_FILE_UNIT')
  assert.equal(fileKey('--max-upload-size-per-file-unit'), 'maxUploadSizePerFileUnit')
  assert.equal(new Set(allOptions.map(({ flag }) => flag)).size, Object.keys(options).length + 1)
})

function refuses(argv: readonly string[], environment: Record<string, string>, message: string | RegExp): void {
  assert.throws(
    () => readConfig(argv, environment),
    (error) => {
      assert.ok(error instanceof ConfigError)
      if (typeof message === 'string') assert.ok(error.message.startsWith(message), error.message)
      else assert.match(error.message, message)
      return true
    },
  )
}

function fileOf(t: { after(use: () => void): void }, content: unknown): string {
  const dir = mkdtempSync(join(tmpdir(), 'config-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'service.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}

test('readConfig() reads targets of copies, and never shows the password of an invalid one', () => {
  const address = 'postgres://loader@db.example.org:5433/sales?sslmode=verify-full'
  const flags = (value: string, ...others: string[]) => ['--copy-target', value, ...others]
  const read = readConfig(flags(`a=${address} b=${address}&schema=raw&table=t&mode=upsert&key=id,day`), {})
  assert.deepEqual(read.copyTargets, [
    { name: 'a', url: address, schema: 'public', table: null, mode: 'replace', key: [] },
    { name: 'b', url: address, schema: 'raw', table: 't', mode: 'upsert', key: ['id', 'day'] },
  ])
  for (const wrong of [
    'a=clickhouse://db.example.org/sales',
    'a=http://ch.example.org/sales',
    address,
    `A=${address}`,
    `a=${address} a=${address}`,
    `a=${address}&host=other`,
    'a=postgres://db.example.org/sales?sslmode=require',
    `a=${address}&mode=merge`,
    `a=${address}&mode=upsert`,
    `a=${address}&key=id`,
    `a=${address}&table=a-b`,
    'a=postgres:///sales',
    'a=postgres://db.example.org',
    'a=mysql://db.example.org/sales',
  ]) {
    assert.throws(() => readConfig(flags(wrong), {}), ConfigError, wrong)
  }
  for (const wrong of [
    'a=postgres://me:geheim@db/x',
    'a=postgres://db/x?password=geheim',
    `a=postgres://me:geheim@db`,
    'a=mysql://me:geheim@db/x',
  ]) {
    assert.throws(
      () => readConfig(flags(wrong), {}),
      ({ message }: Error) => message.includes('…') && !message.includes('geheim'),
      wrong,
    )
  }
  assert.equal(readConfig(flags(`a=${address}`, '--copy-uploads-to', 'a'), {}).copyUploadsTo, 'a')
  assert.throws(() => readConfig(flags(`a=${address}`, '--copy-uploads-to', 'b'), {}), /given "b", expected one of a$/)
  assert.throws(() => readConfig(['--copy-uploads-to', 'b'], {}), /expected a --copy-target of that name$/)
})

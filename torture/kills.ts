// Kills: a service of thousands of datasets is killed while clients do everything. The next one has what they know.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf, Client, jsonOf } from '../test/support/client.ts'
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts'
import { isAlive, RunningService, scratchDir } from '../test/support/running-service.ts'
import { createRandom } from '../test/support/samples.ts'
import { until } from '../test/support/until.ts'
import { mustFail } from './control.ts'
import { type Did, KilledClients } from './killed-clients.ts'
import { isStored, KnownDatasets } from './known-datasets.ts'
import type { Run, Scale } from './modules.ts'

const counts: Readonly<Record<Scale, { readonly rounds: number; readonly datasets: number }>> = {
  short: { rounds: 8, datasets: 150 },
  long: { rounds: 300, datasets: 5_000 },
}
const clientCount = 8
/** One of so many datasets that nothing happened to is verified after each start; all of them are at the end. */
const verifiedOneOf = 100

export const run: Run = async (scale, seed) => {
  const { datasets } = counts[scale]
  const rounds = Number(process.env.KILLS ?? counts[scale].rounds)
  const random = createRandom(seed)
  await using database = await openDatabase()
  await using scratch = await scratchDir()
  const target = `pg=${database.url}?table=events&mode=append`
  const flags = ['--copy-target', target, '--copy-uploads-to', 'pg', '--segment-size', '256KB']
  const start = () => RunningService.start(join(scratch.path, 'data'), flags)
  const known = new KnownDatasets()
  const did: Did = {}
  const clients = new KilledClients(known, random, did, datasets)
  const killed = { children: 0 }
  let most = 0
  await database.kill()
  for (let round = 0; round <= rounds; round += 1) {
    // Most of the time, the database is away, and requests for copies wait on disk.
    if (round % 10 === 4) await database.start()
    if (round % 10 === 6) await database.kill()
    await using service = await start()
    await known.settle(service, new Client(service.url), () => random(verifiedOneOf) === 0)
    await keysAreKept(clients, new Client(service.url))
    most = Math.max(most, known.count('there'))
    if (round === rounds) break
    const running = clients.run(service.url, clientCount)
    // The first round uploads most of the datasets; the others end after some responses.
    const enough = round === 0 ? () => known.count('there') >= datasets : moreThan(clients, 10 + random(60))
    const killing = killChildren(service, random, enough, killed)
    await Promise.race([killing, running])
    clients.end()
    const children = service.children()
    service.kill('SIGKILL')
    await Promise.all([service.ended, running, killing])
    await until('the children of the dead service have ended', () => !children.some(isAlive))
    if (round % 10 === 0) process.stderr.write(`round ${round}: ${known.count('there')} datasets\n`)
  }
  await ends(known, database, start)
  if (scale === 'long')
    await mustFail('kills', seed, 'copy-request-late', /\d+ uploads were acknowledged, but are not copied/)
  return {
    'services killed': rounds,
    'children killed': killed.children,
    'datasets at most': most,
    'datasets at the end': known.count('there'),
    ...did,
    'lost, back after deletion, or left on disk': 0,
    'control with copy requests in memory': 'copies lost',
  }
}

function moreThan(clients: KilledClients, more: number): () => boolean {
  const wanted = clients.acknowledged + more
  return () => clients.acknowledged >= wanted
}

async function openDatabase(): Promise<PostgresServer> {
  const database = await startPostgres()
  if ('missing' in database) throw new Error(`Cannot copy: ${database.missing}`)
  return database
}

/** Kills readers and queries until it is enough. */
async function killChildren(
  service: RunningService,
  random: (below: number) => number,
  enough: () => boolean,
  killed: { children: number },
): Promise<void> {
  const rest = random(3) * 150
  let restMs = 0
  while (!enough()) {
    await sleep(5)
    restMs += 5
    if (rest === 0 || restMs < rest) continue
    restMs = 0
    const children = service.children()
    const child = children[random(children.length || 1)]
    if (child === undefined) continue
    try {
      process.kill(child, 'SIGKILL')
      killed.children += 1
    } catch {
      // It has just ended.
    }
  }
}

/** A repeated request gets the response of the last round. */
async function keysAreKept(clients: KilledClients, client: Client): Promise<void> {
  for (const [key, { content, id }] of clients.keys) {
    if (content.states.get(id) !== 'there') continue
    const { bytes, fileName, schema } = content
    const body = bodyOf({ content: bytes, fileName, ...(schema && { schema }) })
    const answer = await client.ask('POST', '/qas/uploadCsv', body, { 'idempotency-key': key })
    assert.equal(answer.headers['idempotent-replayed'], 'true', `${key} is forgotten: ${answer.status}`)
    assert.equal(jsonOf<{ id: string }>(answer).id, id)
  }
  clients.keys.clear()
}

/** After a clean stop, everything is verified. */
async function ends(
  known: KnownDatasets,
  database: PostgresServer,
  start: () => Promise<RunningService>,
): Promise<void> {
  await using stopped = await start()
  stopped.kill('SIGTERM')
  assert.equal(await stopped.ended, 0)
  await database.kill()
  await database.start()
  await using service = await start()
  await known.settle(service, new Client(service.url), () => true)
  await areCopied(known, database, service)
  for (const [id, content] of known.byId) {
    if (content.states.get(id) === 'there') await isStored(service.dataDir, id, content)
  }
}

/** Asserts that each upload is in the table, or that its copy is still requested. */
async function areCopied({ contents }: KnownDatasets, { query }: PostgresServer, { dataDir }: RunningService) {
  // In this order: a request is removed once its copy is in the table.
  const requested = new Set(await readdir(join(dataDir, 'uploads-to-copy')))
  // No copy has made the table yet.
  const rows = await query('SELECT DISTINCT number FROM events').catch(() => [])
  const copied = new Set(rows.map(([number]) => Number(number)))
  const lost = contents.filter(({ id, number, states, wasDeleted }) => {
    // A reading or a correction that was copied first keeps the upload out of the table.
    const isWanted = id !== null && states.get(id) === 'there' && states.size === 1 && !wasDeleted
    return isWanted && !copied.has(number) && !requested.has(`${id}.pg`)
  })
  assert.equal(lost.length, 0, `${lost.length} uploads were acknowledged, but are not copied and will not be`)
}

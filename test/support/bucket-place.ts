// Bucket place: a prefix of its own in the bucket of a real S3 server for each test, and stores on it through proxies.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { createS3Store } from '../../src/store/s3/s3-store.ts'
import type { Store } from '../../src/store/store.ts'
import { scratchDir } from './running-service.ts'
import { S3Proxy } from './s3-proxy.ts'
import { noS3Server, type S3Server, startS3Server } from './s3-server.ts'
import { assertSwept } from './swept-bucket.ts'

/** Declares tests that share an S3 server; without one, a skipped test says why. */
export async function withS3Server(title: string, declare: (server: S3Server) => void): Promise<void> {
  if (noS3Server !== undefined) return void test(title, { skip: noS3Server }, () => {})
  const server = await startS3Server()
  after(() => server[Symbol.asyncDispose]())
  declare(server)
}

/** Flags of a service that keeps its datasets in the bucket. */
export function bucketFlags({ bucket, endpoint }: Pick<S3Server, 'bucket' | 'endpoint'>, prefix: string) {
  return ['--store', `s3://${bucket}/${prefix}`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes']
}

export interface Replica {
  readonly store: Store
  readonly proxy: S3Proxy
}

/** When the test ends, its stores are closed, and the prefix must hold exactly what its receipts name once it is swept. */
export async function bucketPlace(t: TestContext, { endpoint, bucket }: S3Server) {
  const opened = new AsyncDisposableStack()
  t.after(() => opened.disposeAsync())
  const scratch = opened.use(await scratchDir())
  const options = { bucket, prefix: `${randomUUID()}/`, pathStyle: true, region: null }
  /** The prefix without a proxy. */
  const objects = opened.adopt(new S3Objects({ ...options, endpoint }), (one) => one.close())
  opened.defer(() => assertSwept(objects))
  let count = 0
  /** Opens a store in a directory, by default a new one; the last one there must be closed first. */
  const open = async (name = `${count++}`): Promise<Replica> => {
    const proxy = opened.use(await S3Proxy.to(endpoint))
    const local = { dir: join(scratch.path, name), cacheBytesMax: 1_000_000 }
    const store = await createS3Store({ ...options, ...local, endpoint: proxy.endpoint })
    opened.defer(() => store.close().catch(() => {}))
    // Without what the start has tried.
    proxy.carried.length = 0
    return { store, proxy }
  }
  const keys = async (part = /./) => (await Array.fromAsync(objects.list(''))).filter((key) => part.test(key))
  return { ...options, objects, open, keys }
}

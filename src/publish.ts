// Publish: finds the files of datasets in their bucket, and checks it, without a server. Like app.ts, a place where implementations are chosen.
import { readConfig } from './config/config.ts'
import { bucketOf } from './store/s3/s3-keys.ts'
import { S3Objects } from './store/s3/s3-objects.ts'
import { type LocatedDataset, locateInBucket } from './store/s3/s3-receipts.ts'
import { type BucketCheck, checkBucket } from './store/s3/s3-sweep.ts'

export interface Bucket {
  /** Endpoint of its server; empty for AWS. */
  readonly endpoint: string
  /** @throws {Error} unless exactly one dataset has an id with this prefix */
  find(idPrefix: string): Promise<LocatedDataset>
  /** Compares everything in it with the receipts. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
  check(): Promise<BucketCheck>
}

/** Enough to see that several datasets share a prefix. */
const foundMax = 10

/**
 * Null if no bucket is configured.
 *
 * @param argv Options of `csv-upload serve`; its environment counts, too.
 * @throws {ConfigError}
 */
export function openBucket(argv: readonly string[]): Bucket | null {
  const { storeUrl, s3Endpoint: endpoint, s3Region, s3PathStyle: pathStyle } = readConfig(argv)
  if (storeUrl === '') return null
  const options = { ...bucketOf(storeUrl), endpoint: endpoint || null, region: s3Region || null, pathStyle }
  return {
    endpoint,
    find: async (idPrefix) => {
      const found = /^[0-9a-f]{1,32}$/.test(idPrefix) ? await locateInBucket(options, idPrefix, foundMax) : []
      const [only] = found
      if (only !== undefined && found.length === 1) return only
      const problem =
        only === undefined
          ? 'no dataset has such an id'
          : `it could be ${found.map(({ receipt }) => receipt.id).join(', ')}`
      throw new Error(`Cannot find dataset '${idPrefix}': ${problem}`)
    },
    check: async () => {
      using opened = new DisposableStack()
      return await checkBucket(opened.adopt(new S3Objects(options), (objects) => objects.close()))
    },
  }
}

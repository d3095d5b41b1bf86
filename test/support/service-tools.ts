// Service tools: what uploads and deletions need of a service over any store, without limits, copies or queries.
import type { PartReader } from '../../src/engine/part-reader.ts'
import { Catalog } from '../../src/service/dataset/catalog.ts'
import { VerifiedFiles } from '../../src/service/dataset/verified-files.ts'
import { ExistingDatasets } from '../../src/service/upload/existing-datasets.ts'
import { Quota } from '../../src/service/upload/quota.ts'
import type { Store } from '../../src/store/store.ts'

const unlimited = { ownerBytesMax: Number.POSITIVE_INFINITY, ownerDatasetsMax: Number.POSITIVE_INFINITY }

export function serviceTools(store: Store, reader: PartReader) {
  const files = new VerifiedFiles(store)
  const catalog = new Catalog({ store, files, owner: '', reader })
  const copies = { request: async () => ({ [Symbol.dispose]() {} }), removed: async () => {} }
  const tools = { store, catalog, copies, runner: { forget() {} }, quota: new Quota(unlimited, store) }
  return { files, catalog, existing: new ExistingDatasets(store, files), tools }
}

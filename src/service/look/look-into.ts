// Look into: the records of an upload, during and after it.
import { ServiceError } from '../../core/errors.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import type { Service, UploadLook } from '../service.ts'
import type { Look } from '../uploads/upload-progress.ts'
import type { Uploads } from '../uploads/uploads.ts'

/** @param datasets Provides the records of an upload that is done. */
export function lookInto(owner: string, uploads: Uploads, datasets: Pick<Service, 'rows' | 'rejects'>): UploadLook {
  return {
    uploadRows: async (id, query, signal) => {
      const { offset } = query
      const page = await whileRead(uploads, owner, id, signal, async (look, status) => {
        const columns = (status.columns ?? []).map(({ name, type }) => ({ name, type: type ?? 'text' }))
        return { columns, ...((await look?.rows(query, signal)) ?? { total: 0, offset, rows: [] }) }
      })
      if (page !== null) return { provisional: true, ...page }
      const rows = await datasets.rows(await doneId(uploads, owner, id), { ...query, columns: null }, signal)
      return { provisional: false, ...rows }
    },
    uploadRejects: async (id, query, signal) => {
      const { offset } = query
      const page = await whileRead(uploads, owner, id, signal, async (look) => {
        return (await look?.rejects(query, signal)) ?? { total: 0, offset, rejects: [] }
      })
      if (page !== null) return { provisional: true, ...page }
      return {
        provisional: false,
        ...(await datasets.rejects(await doneId(uploads, owner, id), { ...query, reason: null }, signal)),
      }
    },
  }
}

/** The result of `of` for an upload in progress; null for one that has ended. */
async function whileRead<Page>(
  uploads: Uploads,
  owner: string,
  id: string,
  signal: AbortSignal,
  of: (look: Look | null, status: UploadStatus) => Promise<Page>,
): Promise<Page | null> {
  for (;;) {
    const { live, status } = await uploads.look(owner, id)
    if (isFinished(status)) return null
    // What another process has read cannot be seen here.
    if (live === null) return await of(null, status)
    try {
      return await of(live.look, status)
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw signal.aborted ? error : toStoreError(error)
    }
    // Its files are being moved to its dataset, or it is read again.
    signal.throwIfAborted()
    await live.changed(status.version, signal)
  }
}

async function doneId(uploads: Uploads, owner: string, id: string): Promise<string> {
  const { datasetId, phase, error } = await uploads.of(owner).get(id)
  if (datasetId !== null) return datasetId
  const problem = phase === 'expired' ? 'it was not finished in time' : `it has failed: ${error?.message}`
  throw new ServiceError('UPLOAD_ENDED', { id, problem })
}

// Uploads to continue: finds unfinished uploads to a server, of all files or only of the given ones.
import { basename, resolve } from 'node:path'
import { messageOf } from '../system-messages.ts'
import { fileAt, type NamedFile } from './files-to-send.ts'
import { OutgoingUpload } from './outgoing-upload.ts'
import { changeOf, identityOf, type UnfinishedSend } from './unfinished-sends.ts'

export interface ToContinue {
  readonly uploads: readonly OutgoingUpload[]
  /** Other servers that also have unfinished uploads. */
  readonly otherUrls: readonly string[]
}

/** @param paths Files whose uploads to continue; empty for all. */
export async function uploadsToContinue(
  unfinished: readonly UnfinishedSend[],
  url: string,
  paths: readonly string[],
): Promise<ToContinue> {
  const wanted = new Set(paths.map((path) => resolve(path)))
  const chosen = unfinished.filter(({ path }) => wanted.size === 0 || wanted.has(path))
  const own = chosen.filter((send) => send.url === url)
  const others = chosen.filter((send) => send.url !== url)
  return {
    uploads: await Promise.all(own.map(uploadOf)),
    otherUrls: [...new Set(others.map((send) => send.url))],
  }
}

async function uploadOf(send: UnfinishedSend): Promise<OutgoingUpload> {
  const { uploadId, path } = send
  const declared = new Map(Object.entries(send.declared))
  try {
    const change = changeOf(send, await identityOf(path))
    const file = await fileAt(path, declared)
    const problem =
      change === null
        ? null
        : new Error(`Cannot continue: the file has changed since its upload began (${change}); send it again`)
    return new OutgoingUpload(file, { uploadId, problem })
  } catch (error) {
    const gone: NamedFile = { as: path, name: basename(path), declared, bytes: null, path, open: () => process.stdin }
    return new OutgoingUpload(gone, { uploadId, problem: new Error(messageOf(error)) })
  }
}

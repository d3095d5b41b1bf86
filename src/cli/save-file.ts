// Save file: writes bytes from a server to a file that is complete or absent. Does not know what they contain.
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync, rmSync } from 'node:fs'
import { link, open, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ClientError } from '../client/client-error.ts'
import { errorCode } from '../core/storage-error.ts'

/** What is known about the bytes in advance; they must match. */
export interface ExpectedBytes {
  readonly bytes: number | null
  readonly sha256: string | null
}

export interface ByteFacts {
  readonly bytes: number
  readonly sha256: string
}

/** The longest file name on most systems. Bytes. */
const nameBytesMax = 255

/** An existing file is overwritten only with `force`. */
export function refuseExisting(path: string, force: boolean): void {
  if (!force && existsSync(path)) throw new Error(`Cannot write ${path}: it exists; use --force to overwrite it`)
}

/**
 * Writes a file under a temporary name and renames it once it is complete, checked and synced; an existing file stays
 * until then. After a failure, or if the process ends, nothing is left of it.
 */
export async function saveFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  expected: ExpectedBytes,
  force: boolean,
): Promise<ByteFacts> {
  refuseExisting(path, force)
  using temporary = temporaryBeside(path)
  const saved = await writeFile(temporary.path, path, checked(chunks, expected))
  if (force) await rename(temporary.path, path)
  else await moveNew(temporary.path, path)
  return saved
}

/** A temporary name beside `path`; its file or directory is deleted on disposal and when the process ends. */
export function temporaryBeside(path: string): { readonly path: string } & Disposable {
  const temporary = join(dirname(path), `.${beginning(basename(path), 100)}.${randomUUID().slice(0, 8)}.part`)
  const remove = () => rmSync(temporary, { force: true, recursive: true })
  process.on('exit', remove)
  return {
    path: temporary,
    [Symbol.dispose]() {
      process.off('exit', remove)
      remove()
    },
  }
}

/** Passes bytes on, and fails at the end, before the file gets its name, if they are not the expected ones. */
export async function* checked(
  chunks: AsyncIterable<Uint8Array>,
  expected: ExpectedBytes,
): AsyncGenerator<Uint8Array, ByteFacts, undefined> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  const sha256 = hash.digest('hex')
  if (expected.bytes !== null && bytes !== expected.bytes) {
    throw ClientError.of('cut', `Cannot keep the file: ${bytes} bytes arrived, expected ${expected.bytes}`)
  }
  if (expected.sha256 !== null && sha256 !== expected.sha256) {
    throw ClientError.of('wrong', `Cannot keep the file: its SHA-256 is ${sha256}, expected ${expected.sha256}`)
  }
  return { bytes, sha256 }
}

/**
 * Replaces a file atomically, so that its readers find either the old or the new content, and keeps its
 * mode; a new one can be read only by its owner. After a failure, the old one stays.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  using temporary = temporaryBeside(path)
  await using file = await open(temporary.path, 'wx', 0o600)
  const before = await stat(path).catch(() => null)
  if (before !== null) await file.chmod(before.mode & 0o777)
  await file.writeFile(content)
  await file.sync()
  await rename(temporary.path, path)
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function writeFile(
  path: string,
  wanted: string,
  chunks: AsyncGenerator<Uint8Array, ByteFacts, undefined>,
): Promise<ByteFacts> {
  await using file = await open(path, 'wx').catch((error: Error) => {
    // The file that was asked for, instead of the temporary one.
    throw Object.assign(error, { path: wanted, syscall: 'write' })
  })
  for (;;) {
    const next = await chunks.next()
    if (next.done === true) {
      await file.sync()
      return next.value
    }
    await file.writeFile(next.value)
  }
}

/**
 * A rename would replace a file created in the meantime; a link does not. Without hard links, only the earlier check
 * applies.
 */
async function moveNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    refuseExisting(to, false)
    if (errorCode(error) === 'ENOENT') throw error
    await rename(from, to)
    return
  }
  await unlink(from)
}

/** The file name sent by a server (RFC 6266), made safe so that it stays in its directory; null without one. */
export function offeredName(disposition: string | undefined): string | null {
  const extended = /;\s*filename\*=UTF-8''([^;\s]+)/i.exec(disposition ?? '')?.[1]
  const plain = /;\s*filename="([^"]*)"/i.exec(disposition ?? '')?.[1]
  return safeName(decoded(extended) ?? plain ?? '')
}

/** The last segment, without control characters and leading dots, which would hide it or lead to a parent directory. */
export function safeName(name: string): string | null {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const clean = last.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}<>:"|?*]/gu, '_').replace(/^[.\s-]+/, '')
  return clean === '' ? null : beginning(clean, nameBytesMax)
}

/** The first whole characters of a text, up to this number of bytes in UTF-8. */
function beginning(text: string, bytesMax: number): string {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > bytesMax) break
    kept += character
  }
  return kept
}

function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}

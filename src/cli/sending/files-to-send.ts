// Files to send: resolves the arguments of `send`: files, file patterns, and standard input. Knows no server.
import { createReadStream } from 'node:fs'
import { glob, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { OutgoingFile } from '../../client/upload.ts'
import { UsageError } from '../command.ts'
import { type DeclarationTexts, declaredParts } from '../declared-options.ts'

const readBytes = 262_144

/** A file to send, and its name on the command line. */
export interface NamedFile extends OutgoingFile {
  readonly as: string
  /** Absolute path; null for a stream, which can only be read once. */
  readonly path: string | null
}

/**
 * Finds every file, each once, in the given order; files that match a pattern are sorted by name.
 *
 * @throws {UsageError} for none, a directory, a name or pattern without a file, and standard input twice
 */
export async function outgoingFiles(
  args: readonly string[],
  declared: DeclarationTexts,
  nameOfInput: string,
): Promise<readonly NamedFile[]> {
  if (args.length === 0) throw new UsageError('Cannot start: no file given')
  const parts = declaredParts(declared)
  const files = new Map<string, NamedFile>()
  for (const arg of args) {
    if (arg === '-') {
      if (files.has('-')) throw new UsageError("Cannot use argument '-': standard input can only be sent once")
      const stream = { bytes: null, path: null, open: () => process.stdin }
      files.set('-', { as: nameOfInput, name: nameOfInput, declared: parts, ...stream })
      continue
    }
    for (const path of await pathsOf(arg)) files.set(path, await fileAt(path, parts))
  }
  return [...files.values()]
}

async function pathsOf(arg: string): Promise<readonly string[]> {
  const found = await stat(arg).catch(() => null)
  if (found !== null) return [arg]
  if (!/[*?[{]/.test(arg)) throw new UsageError(`Cannot find ${arg}: there is no such file`)
  const paths = await Array.fromAsync(glob(arg, { withFileTypes: false }))
  const isFile = await Promise.all(paths.map(async (path) => (await stat(path)).isFile()))
  const files = paths.filter((_, i) => isFile[i]).toSorted()
  if (files.length === 0) throw new UsageError(`Cannot find ${arg}: no files match`)
  return files
}

/** @throws {UsageError} for a directory; any error of inspecting the file */
export async function fileAt(path: string, declared: ReadonlyMap<string, string>): Promise<NamedFile> {
  const found = await stat(path)
  if (found.isDirectory())
    throw new UsageError(`Cannot send ${path}: it is a directory; name its files, such as '${path}/*.csv'`)
  const named = { as: path, name: basename(path), declared }
  // A pipe or a device has no size: it is sent like standard input.
  if (!found.isFile()) {
    return { ...named, bytes: null, path: null, open: () => createReadStream(path, { highWaterMark: readBytes }) }
  }
  const { size } = found
  return { ...named, bytes: size, path: resolve(path), open: (from = 0) => readUpTo(path, from, size) }
}

/** Bytes written to the file after this check are not part of the upload. */
function readUpTo(path: string, from: number, end: number): AsyncIterable<Uint8Array> {
  if (from >= end) return nothing()
  return createReadStream(path, { highWaterMark: readBytes, start: from, end: end - 1 })
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

// Key file: API keys in a file that is read again whenever it changes. Knows no requests.
import { readFileSync, statSync } from 'node:fs'
import { errorCode } from '../core/storage-error.ts'
import { type Key, KeysError, parseKeys } from './api-keys.ts'

export interface AccessLogger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/** The file is checked this often, which finds a rename, a bind mount and a Kubernetes secret alike. Milliseconds. */
const lookMs = 1_000

const othersMayWrite = 0o022
/** A group may read it: a Kubernetes secret belongs to root, and to the group of the pod. */
const othersMayRead = 0o004

/** Reads a file that decides who is let in. @throws {KeysError} if it cannot be read, or others may write it. */
export function readTrustedFile(
  path: string,
  flag: string,
): { readonly text: string; readonly isReadByOthers: boolean } {
  try {
    const { mode } = statSync(path)
    // Windows has no such modes.
    const mayOthers = (bits: number) => process.platform !== 'win32' && (mode & bits) !== 0
    if (mayOthers(othersMayWrite)) {
      const shown = (mode & 0o777).toString(8)
      throw new KeysError(`Cannot use ${flag}: others may write '${path}' (mode ${shown}), expected mode 600`)
    }
    // Without a byte order mark, which some editors write.
    return { text: new TextDecoder().decode(readFileSync(path)), isReadByOthers: mayOthers(othersMayRead) }
  } catch (error) {
    if (error instanceof KeysError) throw error
    throw new KeysError(`Cannot use ${flag}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Reads a file of keys, and calls `onChange` with them after every change until disposed. @throws {KeysError} */
export function followKeys(path: string, logger: AccessLogger, onChange: (keys: readonly Key[]) => void) {
  let version = versionOf(path)
  const { text, isReadByOthers } = readTrustedFile(path, '--keys')
  const keys = parseKeys(text, path)
  if (isReadByOthers) logger.warn({ path }, 'others may read the key file; mode 600 restricts it to its owner')
  // A file that cannot be used changes nothing: half a file must not lock everyone out.
  const reload = () => {
    version = versionOf(path)
    try {
      const others = parseKeys(readTrustedFile(path, '--keys').text, path)
      onChange(others)
      logger.info({ keys: others.length }, 'keys were read again')
    } catch (error) {
      if (!(error instanceof KeysError)) throw error
      logger.error({ problem: error.message }, 'keys could not be read again: the previous keys stay valid')
    }
  }
  const checking = setInterval(() => versionOf(path) !== version && reload(), lookMs).unref()
  return { keys, reload, [Symbol.dispose]: () => clearInterval(checking) }
}

/** Differs whenever the file may have changed. Never throws: a file that cannot be read has a version, too. */
function versionOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path)
    return [dev, ino, size, mtimeMs, ctimeMs].join()
  } catch (error) {
    return String(errorCode(error))
  }
}

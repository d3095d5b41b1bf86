// System messages: errors of the operating system in words, with the file concerned. Knows no command.
import { getSystemErrorMap } from 'node:util'

const verbs: Readonly<Record<string, string>> = {
  mkdir: 'create',
  open: 'open',
  read: 'read',
  rename: 'write',
  scandir: 'read',
  stat: 'read',
  lstat: 'read',
  unlink: 'delete',
  write: 'write',
}

/** `Cannot open people.csv: permission denied` for an error of the file system; the message of any other. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { errno, syscall = '', path } = error as NodeJS.ErrnoException // members that an error may have
  const [, said] = getSystemErrorMap().get(errno ?? 0) ?? []
  if (said === undefined) return error.message
  return `Cannot ${verbs[syscall] ?? 'use'} ${path ?? 'the file'}: ${said}`
}

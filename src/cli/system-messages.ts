// System messages: errors of the operating system in words, with the file concerned. Knows no command.

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EISDIR: 'it is a directory',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
}

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
  const { code, syscall = '', path } = error as NodeJS.ErrnoException // members that an error may have
  const said = code === undefined ? undefined : words[code]
  if (said === undefined) return error.message
  return `Cannot ${verbs[syscall] ?? 'use'} ${path ?? 'the file'}: ${said}`
}

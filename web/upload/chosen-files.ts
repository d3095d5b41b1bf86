// Chosen files: files that the user chose or dropped, with handles to reopen them after a restart if the browser has them.
import { UserFacingError } from '../api.ts'
import { t } from '../texts.ts'

/** A FileSystemFileHandle, as far as it is used here. */
export interface FileHandle {
  readonly kind: 'file'
  getFile(): Promise<File>
  queryPermission?(options: { readonly mode: 'read' }): Promise<PermissionState>
  requestPermission?(options: { readonly mode: 'read' }): Promise<PermissionState>
}

export interface ChosenFile {
  readonly file: File
  readonly handle: FileHandle | null
  /** True for a dropped folder, which browsers pass as a file that cannot be read. */
  readonly isFolder: boolean
}

interface Pickers {
  showOpenFilePicker?(options: { readonly multiple: true }): Promise<readonly FileHandle[]>
}

interface HandleItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<{ readonly kind: string } | null>
}

export function plainFiles(files: Iterable<File>): readonly ChosenFile[] {
  return [...files].map((file) => ({ file, handle: null, isFolder: false }))
}

/** True if files can be chosen in a way that allows reopening them. */
export function hasPicker(): boolean {
  return 'showOpenFilePicker' in globalThis
}

/** Empty if the user chooses none. */
export async function pickFiles(): Promise<readonly ChosenFile[]> {
  const { showOpenFilePicker } = globalThis as Pickers
  const handles = (await showOpenFilePicker?.({ multiple: true }).catch(() => [])) ?? []
  return Promise.all(handles.map(async (handle) => ({ file: await handle.getFile(), handle, isFolder: false })))
}

/** Call it while the event is handled. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly ChosenFile[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file') as HandleItem[]
  const chosen = items.map((item) => ({
    file: item.getAsFile(),
    isFolder: item.webkitGetAsEntry()?.isDirectory === true,
    handle: item.getAsFileSystemHandle?.().catch(() => null),
  }))
  const files: ChosenFile[] = []
  for (const { file, isFolder, handle } of chosen) {
    const found = await handle
    // A handle whose kind is `file` is a FileSystemFileHandle.
    const known = found?.kind === 'file' ? (found as FileHandle) : null
    if (file !== null) files.push({ file, handle: known, isFolder })
  }
  return files
}

/** The file behind a handle, if it may be read; asking for permission needs a click. */
export async function reopened(handle: FileHandle, mayAsk: boolean): Promise<File | null> {
  try {
    const mode = { mode: 'read' } as const
    let permission = (await handle.queryPermission?.(mode)) ?? 'granted'
    if (permission === 'prompt' && mayAsk) permission = (await handle.requestPermission?.(mode)) ?? permission
    return permission === 'granted' ? await handle.getFile() : null
  } catch {
    return null
  }
}

/** The file was changed, moved or deleted: browsers refuse to read it then. */
export class Unreadable extends UserFacingError {
  constructor() {
    super(t.unreadable)
  }
}

/** @throws {Unreadable} */
export async function ensureReadable(file: Blob): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer()
  } catch {
    throw new Unreadable()
  }
}

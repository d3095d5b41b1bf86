// Chosen files: files that the user chose or dropped.
import { UserFacingError } from '../api.ts'
import { t } from '../texts.ts'

export interface ChosenFile {
  readonly file: File
  /** True for a dropped folder, which browsers pass as a file that cannot be read. */
  readonly isFolder: boolean
}

export function plainFiles(files: Iterable<File>): readonly ChosenFile[] {
  return [...files].map((file) => ({ file, isFolder: false }))
}

/** A pasted text, as a file. */
export function pastedFile(text: string): File {
  return new File([text], 'pasted.csv', { type: 'text/csv' })
}

export function droppedFiles(transfer: DataTransfer): readonly ChosenFile[] {
  return [...transfer.items].flatMap((item) => {
    const file = item.getAsFile()
    return file === null ? [] : [{ file, isFolder: item.webkitGetAsEntry()?.isDirectory === true }]
  })
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

// Chosen files: files that the user chose or dropped.
import { UserFacingError } from '../api.ts'
import { t } from '../texts.ts'

/** A pasted text, as a file. */
export function pastedFile(text: string): File {
  return new File([text], 'pasted.csv', { type: 'text/csv' })
}

/** Which of them are folders, too: browsers pass those as files that cannot be read. */
export function droppedFiles(transfer: DataTransfer) {
  const folders = new Set<File>()
  const files = [...transfer.items].flatMap((item) => {
    const file = item.getAsFile()
    if (file !== null && item.webkitGetAsEntry()?.isDirectory) folders.add(file)
    return file ?? []
  })
  return { files, folders }
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

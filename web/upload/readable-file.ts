// Readable file: whether a chosen file can still be read; browsers refuse one that has changed, moved or gone.
import { UserFacingError } from '../api.ts'
import { t } from '../texts.ts'

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

// Upload reply: the outcome of an upload. Interface only.
import type { Note } from '../core/notes.ts'
import type { Receipt, Upload } from '../core/receipt.ts'

export interface UploadReply {
  readonly receipt: Receipt
  readonly upload: Upload
  /** Notes about the request alone; notes about the file are in the receipt. */
  readonly notes: readonly Note[]
  /** Present if the same request has been answered before, with this response. */
  readonly isReplayed?: true
}

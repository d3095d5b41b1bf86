// Upload reply: what an upload has become. Interface only.
import type { Note } from '../core/notes.ts'
import type { Receipt, Upload } from '../core/receipt.ts'

export interface UploadReply {
  readonly receipt: Receipt
  readonly upload: Upload
  /** About the request alone; those about the file are in the receipt. */
  readonly notes: readonly Note[]
  /** Present when the same request has been answered before, with this. */
  readonly isReplayed?: true
}

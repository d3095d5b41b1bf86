// Pending body: a body that is still arriving, as far as its upload place depends on it. Interface only.
import type { ServiceError } from '../core/errors.ts'

/** A body that is still arriving, as far as its upload place depends on it. */
export interface PendingBody {
  /** How long the body has kept the service waiting, in milliseconds; little while it arrives fast enough. */
  waitedMs(): number
  /** Ends the body with this error. */
  fail(error: ServiceError): void
}

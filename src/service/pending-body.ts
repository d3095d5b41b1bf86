// Pending body: a body that is still arriving, as far as the place of its upload depends on it. Interface only.
import type { ServiceError } from '../core/errors.ts'

/** A body that is still arriving, as far as the place of its upload depends on it. */
export interface PendingBody {
  /** How long the body has kept the service waiting, in milliseconds; little when it comes fast enough. */
  waitedMs(): number
  /** Ends the body with this error. */
  fail(error: ServiceError): void
}

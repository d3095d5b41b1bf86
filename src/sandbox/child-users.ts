// Child users: the user ids that children run as when the service runs as root. Knows nothing of what they do.
import { randomInt } from 'node:crypto'

/**
 * systemd leaves 60578 to 61183 unassigned; 65534 would be shared with other services. Each child gets its own id, so that
 * no child can signal another, and the next child gets the next id, so that it never meets what a former child left running.
 * scripts/setup.mjs lets these users read the compile cache of root.
 */
const userIdFirst = 60_578
const userIdCount = 606

/**
 * Services on one machine, also in containers, start at different ids: otherwise their children would share one limit of
 * tasks, and a Node process that is refused a thread at startup waits for it forever.
 */
const firstNumber = randomInt(userIdCount)

/** Most processes and threads of a child with a user of its own; the system counts them per user. */
export const taskCountMax = 64

/** The user id of a child, by its number. */
export function childUserId(childNumber: number): number {
  return userIdFirst + ((firstNumber + childNumber) % userIdCount)
}

// Child users: the numbers of the users that children run as, where the service may choose. Knows nothing of what they do.
import { randomInt } from 'node:crypto'

/**
 * None has an account, and systemd's division of the numbers leaves 60578 to 61183 to nobody; 65534 would be shared with
 * other services. Each child has its own for as long as there are enough, so that none can send a signal to another, and
 * the next one has another, so that nothing that outlived a child meets it again.
 */
const userIdFirst = 60_578
const userIdCount = 606

/**
 * Services beside each other, also in containers, begin at different numbers: they would count against one limit of tasks,
 * and a Node that is refused a thread at its start waits for it for ever.
 */
const firstNumber = randomInt(userIdCount)

/** Limit of processes and threads, for a child with a user of its own: the system counts them by user. */
export const taskCountMax = 64

/** The user of the child of that number. */
export function childUserId(childNumber: number): number {
  return userIdFirst + ((firstNumber + childNumber) % userIdCount)
}

// Lingering close: ends a connection so that the client still gets what was written last. Knows nothing of HTTP.
import type { Socket } from 'node:net'

/**
 * Closing a socket with unread bytes in it makes the kernel send a reset, and a reset makes the client drop what it has
 * received but not yet read: our answer. So we go on reading for a while (RFC 9112 section 9.6).
 *
 * The two times are those of nginx (lingering_timeout, lingering_time). The bytes are a whole body at the default
 * limit, since many clients read nothing before they have sent everything; discarding a byte costs next to nothing,
 * and what bounds an attacker is the time.
 */
export interface LingerLimits {
  readonly idleMs: number
  readonly totalMs: number
  readonly bytesMax: number
}

export const defaultLingerLimits: LingerLimits = { idleMs: 5_000, totalMs: 30_000, bytesMax: 1_073_741_824 }

/** How often the limits are looked at. */
const lookMs = 250

/**
 * Ends our side after what has been written, and destroys the socket at a limit or when the client ends its side.
 *
 * Whoever reads the socket must go on doing so. (To take over from Node's HTTP parser here is not possible in public
 * terms: a socket that the parser had paused does not start again.)
 */
export function closeLingering(socket: Socket, limits: LingerLimits): void {
  socket.end()
  if (socket.destroyed) return
  const beganMs = performance.now()
  const beganBytes = socket.bytesRead
  let seenBytes = beganBytes
  let seenMs = beganMs
  const looking = setInterval(() => {
    const nowMs = performance.now()
    if (socket.bytesRead !== seenBytes) {
      seenBytes = socket.bytesRead
      seenMs = nowMs
    }
    const isIdle = nowMs - seenMs >= limits.idleMs
    if (isIdle || nowMs - beganMs >= limits.totalMs || seenBytes - beganBytes > limits.bytesMax) socket.destroy()
  }, lookMs)
  socket.once('close', () => clearInterval(looking))
}

// Lingering close: ends a connection so that the client still receives what was written last. Knows nothing of HTTP.
import type { Socket } from 'node:net'

/**
 * Closing a socket with unread bytes makes the kernel send a reset, and a reset makes the client drop what it has
 * received but not yet read: our response. So we keep reading for a while (RFC 9112 section 9.6).
 *
 * The two times are those of nginx (lingering_timeout, lingering_time). The bytes allow for a whole body at the default
 * limit, since many clients read nothing before they have sent everything: 40 MB at 1 MB/s take longer than the total
 * time. Discarding a byte costs next to nothing; the times and the rate are what bounds an attacker.
 */
export interface LingerLimits {
  readonly idleMs: number
  /** After this time, only a client that has sent at least `bytesPerSecondMin` on average may go on. */
  readonly totalMs: number
  readonly bytesPerSecondMin: number
  readonly bytesMax: number
}

export const defaultLingerLimits: LingerLimits = {
  idleMs: 5_000,
  totalMs: 30_000,
  bytesPerSecondMin: 65_536,
  bytesMax: 1_073_741_824,
}

const lookMs = 250

/**
 * Ends our side once everything is written, and destroys the socket at a limit or when the client ends its side.
 *
 * Whoever reads the socket must keep reading it. (Node has no public way to take a socket over from its HTTP parser:
 * once the parser has paused the socket, it does not resume.)
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
    const sentBytes = seenBytes - beganBytes
    const passedMs = nowMs - beganMs
    const isSlow = passedMs >= limits.totalMs && sentBytes < (limits.bytesPerSecondMin * passedMs) / 1_000
    if (isIdle || isSlow || sentBytes > limits.bytesMax) socket.destroy()
  }, lookMs)
  socket.once('close', () => clearInterval(looking))
}

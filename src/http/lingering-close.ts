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

/** Ends our side after what has been written, discards what still comes, and destroys the socket at a limit. */
export function closeLingering(socket: Socket, limits: LingerLimits): void {
  socket.end()
  if (socket.destroyed) return
  const destroy = () => void socket.destroy()
  const idle = setTimeout(destroy, limits.idleMs)
  const total = setTimeout(destroy, limits.totalMs)
  socket.once('close', () => {
    clearTimeout(idle)
    clearTimeout(total)
  })
  let discardedBytes = 0
  // Without its listener the HTTP parser sees nothing more: no further request on this connection is even read.
  socket.removeAllListeners('data')
  socket.on('data', (chunk) => {
    discardedBytes += chunk.length
    if (discardedBytes > limits.bytesMax) socket.destroy()
    else idle.refresh()
  })
  socket.resume()
}

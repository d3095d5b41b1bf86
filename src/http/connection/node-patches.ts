// Node patches: the four places where we change what Node's HTTP server does by itself, none of them documented. The
// tests beside this file fail if a version of Node no longer works this way.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The only way to answer a client that ends its side after the request (`shutdown(SHUT_WR)`), as HTTP/1.0 tools do.
 * Otherwise Node closes the connection before we have answered.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Node considers a connection busy until its first byte arrives: a spare connection of a browser would delay the
 * shutdown. `server.close()` calls `closeIdleConnections`, too.
 */
export function closeSilentConnections(server: Server): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/** Node calls `destroySoon` once the last response of a connection is written, and would then close it immediately. */
export function afterLastResponse(socket: Socket, close: () => void): void {
  socket.destroySoon = close
}

/**
 * The parser delivers each chunk of a body by calling `push`. Node's own takes longer than all else on a chunk's way to
 * its reader, and is needed only for chunks that are already buffered, and the end.
 *
 * @returns a function that restores Node's `push`.
 */
export function takeChunks(request: IncomingMessage, onChunk: (chunk: Buffer) => void): () => void {
  const { push } = request
  request.push = (chunk, encoding) => {
    const isOurs = chunk !== null && request.readableLength === 0 && request.listenerCount('data') > 0
    if (!isOurs) return push.call(request, chunk, encoding)
    onChunk(chunk)
    return true
  }
  return () => {
    request.push = push
  }
}

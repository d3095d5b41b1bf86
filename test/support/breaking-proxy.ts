// Breaking proxy: a TCP proxy between client and service that cuts or delays connections. Knows no HTTP.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What happens to a connection. */
export interface Fate {
  /** The connection breaks after this many bytes of the client. */
  readonly upBytes?: number
  /** The same for bytes of the service. */
  readonly downBytes?: number
  /** Delay before each forwarded piece. */
  readonly delayMs?: number
}

export interface BreakingProxy extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Connections so far. */
  connections(): number
  /** Bytes of clients that were forwarded. */
  upBytes(): number
  /** Broken connections so far. */
  breaks(): number
}

/** @param fateOf Called for every connection with its number, from 0. */
export async function startProxy(targetUrl: string, fateOf: (connection: number) => Fate): Promise<BreakingProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const counts = { connections: 0, upBytes: 0, breaks: 0 }
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const fate = fateOf(counts.connections++)
    keep(client)
    const service = keep(connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true }))
    let isBroken = false
    const onBreak = () => {
      if (isBroken) return
      isBroken = true
      counts.breaks += 1
      client.destroy()
      service.destroy()
    }
    const onUp = (bytes: number) => {
      counts.upBytes += bytes
    }
    const state = { isBroken: () => isBroken, onBreak, delayMs: fate.delayMs ?? 0 }
    void pass(client, service, fate.upBytes ?? Number.POSITIVE_INFINITY, { ...state, onPassed: onUp })
    void pass(service, client, fate.downBytes ?? Number.POSITIVE_INFINITY, { ...state, onPassed: () => {} })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('Cannot listen: no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    connections: () => counts.connections,
    upBytes: () => counts.upBytes,
    breaks: () => counts.breaks,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface ProxyHooks {
  readonly delayMs: number
  isBroken(): boolean
  onBreak(): void
  onPassed(bytes: number): void
}

async function pass(from: Socket, to: Socket, bytesMax: number, state: ProxyHooks): Promise<void> {
  let left = bytesMax
  try {
    for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (state.isBroken()) continue
      if (state.delayMs > 0) await sleep(state.delayMs)
      const part = chunk.subarray(0, left)
      left -= part.length
      state.onPassed(part.length)
      if (!to.write(part)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      if (left === 0) state.onBreak()
    }
    if (!state.isBroken()) to.end()
  } catch {
    // The other side has gone, too.
    if (!state.isBroken()) to.destroy()
  }
}

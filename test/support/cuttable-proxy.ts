// Cuttable proxy: a TCP proxy to a service that a test can hold, cut and redirect.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Connections that have carried less are never held. Bytes. */
const largeBytes = 1_048_576

export class CuttableProxy implements AsyncDisposable {
  readonly url: string
  /** Bytes from clients, heads included. */
  carriedBytes = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #held = new Set<Socket>()
  #target: number
  #holdAfterBytes = Number.POSITIVE_INFINITY
  #isRefusing = false

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('connection', (socket) => this.#carry(socket))
  }

  static async to(url: string): Promise<CuttableProxy> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new CuttableProxy(server, Number(new URL(url).port))
  }

  lead(url: string): void {
    this.#target = Number(new URL(url).port)
  }

  /** From now on, holds large bodies after this many bytes, until `release`. */
  holdAfter(bytes: number): void {
    this.#holdAfterBytes = this.carriedBytes + bytes
  }

  get isHolding(): boolean {
    return this.#held.size > 0
  }

  release(): void {
    this.#holdAfterBytes = Number.POSITIVE_INFINITY
    for (const socket of this.#held) socket.resume()
    this.#held.clear()
  }

  /** Breaks every connection, and refuses new ones until `restore`. */
  cut(): void {
    this.#isRefusing = true
    for (const socket of this.#sockets) socket.destroy()
  }

  restore(): void {
    this.#isRefusing = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #carry(client: Socket): void {
    if (this.#isRefusing) return void client.destroy()
    const service = connect(this.#target, '127.0.0.1')
    let bytes = 0
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        this.#held.delete(one)
        other.destroy()
      })
    }
    service.pipe(client)
    client.on('end', () => service.end())
    client.on('data', (chunk) => {
      bytes += chunk.length
      this.carriedBytes += chunk.length
      const isHeld = bytes > largeBytes && this.carriedBytes >= this.#holdAfterBytes
      const isTaken = service.write(chunk)
      if (isHeld) {
        this.#held.add(client)
        client.pause()
      } else if (!isTaken) {
        client.pause()
        service.once('drain', () => this.#held.has(client) || client.resume())
      }
    })
  }
}

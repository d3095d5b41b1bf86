// Conversation: a raw connection to a server, with everything received on it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { stillMsMax } from '../support/until.ts'
import { type Answers, ResponseReader } from './answers.ts'

/** A connection that sends exactly the given bytes. Closed when disposed. */
export class Conversation implements Disposable {
  readonly socket: Socket
  /** The server has ended its side, or cut the connection. */
  hasEnded = false
  #chunks: Buffer[] = []
  readonly #reader: ResponseReader

  private constructor(socket: Socket, isHead: boolean) {
    this.socket = socket
    this.#reader = new ResponseReader(isHead)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#chunks.push(chunk))
    socket.on('end', () => {
      this.hasEnded = true
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.hasEnded = true
    })
  }

  /** @param isHead Responses will have no bodies. */
  static async open(port: number, isHead = false): Promise<Conversation> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return new Conversation(socket, isHead)
  }

  get raw(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] ?? Buffer.alloc(0)
  }

  get answers(): Answers {
    return this.#reader.read(this.raw, this.hasEnded)
  }

  /** Resolves when the bytes are passed to the kernel; does not fail if the server has closed. */
  send(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.writable) this.socket.write(bytes, () => resolve())
      else resolve()
    })
  }

  /** Resolves when `condition` holds. @throws {Error} if nothing has arrived for a minute */
  async until(what: string, condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (!(await this.#moves(stillMsMax()))) throw new Error(`Nothing has arrived for a minute, waiting until ${what}`)
    }
  }

  /** Whether `condition` holds within `ms`: for what may come or must not, never for what must. */
  async within(ms: number, condition: () => boolean): Promise<boolean> {
    const endMs = performance.now() + ms
    while (!condition() && (await this.#moves(endMs - performance.now())));
    return condition()
  }

  /** Resolves when the server has ended its side, or cut the connection. */
  ended(): Promise<void> {
    return this.until('the connection ends', () => this.hasEnded)
  }

  /** Resolves when this many responses are complete, or the server has ended. */
  async answered(count: number): Promise<Answers> {
    await this.until(`${count} responses are complete`, () => {
      const { final } = this.answers
      return this.hasEnded || (final.length >= count && final.every((answer) => answer.isWhole))
    })
    return this.answers
  }

  /** Resolves to true when something arrives or the connection ends, to false after `ms`. */
  async #moves(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, ms, false)
    const onEvent = () => resolve(true)
    for (const event of ['data', 'end', 'close']) this.socket.on(event, onEvent)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      for (const event of ['data', 'end', 'close']) this.socket.off(event, onEvent)
    }
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

// Conversation: a raw connection to a server, and everything received on it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AnswerReader, type Answers } from './answers.ts'

/** A connection on which exactly the given bytes are sent. Closed when disposed. */
export class Conversation implements Disposable {
  readonly socket: Socket
  /** The server has ended its side, or cut the connection. */
  hasEnded = false
  #chunks: Buffer[] = []
  readonly #reader: AnswerReader

  private constructor(socket: Socket, isHead: boolean) {
    this.socket = socket
    this.#reader = new AnswerReader(isHead)
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

  /** @param isHead The answers will have no bodies. */
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

  /** Sends, and resolves when the bytes are with the kernel; a server that has closed is no failure. */
  send(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.writable) this.socket.write(bytes, () => resolve())
      else resolve()
    })
  }

  /** Resolves to true as soon as `condition` holds, and to false after `ms`. */
  async until(condition: () => boolean, ms: number): Promise<boolean> {
    if (condition()) return true
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    const check = () => {
      if (condition()) resolve()
    }
    for (const event of ['data', 'end', 'close']) this.socket.on(event, check)
    await promise
    clearTimeout(timer)
    for (const event of ['data', 'end', 'close']) this.socket.off(event, check)
    return condition()
  }

  /** Resolves when that many answers are whole, or the server has ended. */
  async answered(count: number, ms = 10_000): Promise<Answers> {
    await this.until(() => {
      const { final } = this.answers
      return this.hasEnded || (final.length >= count && final.every((answer) => answer.isWhole))
    }, ms)
    return this.answers
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

// Conversation: a raw connection to a server, with everything received on it.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AnswerReader, type Answers } from './answers.ts'

/** A connection that sends exactly the given bytes. Closed when disposed. */
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

  /** Resolves to true when `condition` holds, to false after `ms`. */
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

  /** Resolves when this many responses are complete, or the server has ended. */
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

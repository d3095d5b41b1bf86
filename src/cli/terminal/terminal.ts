// Terminal: the output of a command: results to standard output, everything else to standard error.
import { styleText } from 'node:util'
import type { ClientEnvironment } from '../../config/client-environment.ts'
import { errorCode } from '../../core/storage-error.ts'
import { fitted, jsonLine, printableLines } from './printable.ts'

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
export type Colour = 'red' | 'green' | 'yellow' | 'bold' | 'dim'

/** The two output streams of a command. Disposing it clears the progress line. */
export class Terminal implements Disposable {
  /** Width in columns, if standard output is a terminal; null in a pipe, where nothing is shortened. */
  readonly width: number | null
  /** Progress is drawn only for humans: on a terminal, not on a build machine, not when quiet. */
  readonly showsProgress: boolean
  readonly #out: Stream
  readonly #err: Stream
  readonly #quiet: boolean
  #status = ''

  constructor(out: Stream, err: Stream, { isBuild }: Pick<ClientEnvironment, 'isBuild'>, quiet: boolean) {
    this.#out = out
    this.#err = err
    this.#quiet = quiet
    this.width = out.isTTY ? out.columns || 80 : null
    this.showsProgress = err.isTTY === true && !isBuild && !quiet
  }

  /** True if standard output is a terminal, which must not get raw bytes. */
  get isTerminal(): boolean {
    return this.width !== null
  }

  /** Writes results; resolves when more can be written. */
  async print(text: string | Uint8Array): Promise<void> {
    if (text.length === 0) return
    this.setStatus('')
    await new Promise<void>((resolve, reject) => {
      this.#out.write(text, (error) => (error === null || error === undefined ? resolve() : reject(closedOr(error))))
    })
  }

  /** Writes a value as JSON on one line. */
  printJson(value: unknown): Promise<void> {
    return this.print(`${jsonLine(value)}\n`)
  }

  /** Writes a result: the value for programs, or a text for humans. */
  printResult(asJson: boolean, value: unknown, text: () => string): Promise<void> {
    return asJson ? this.printJson(value) : this.print(text())
  }

  /** Writes bytes as they arrive; a terminal gets only text without control characters. */
  async printBytes(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of chunks) {
      await this.print(this.isTerminal ? printableLines(decoder.decode(chunk, { stream: true })) : chunk)
    }
  }

  /** Prints a line for the user on standard error. */
  say(line: string): void {
    if (!this.#quiet) this.complain(line)
  }

  /** The same for errors, even when quiet. */
  complain(line: string): void {
    this.setStatus('')
    this.#err.write(`${line}\n`)
  }

  /** Draws a line that replaces the previous one; an empty line clears it. */
  setStatus(line: string): void {
    if (!this.showsProgress || line === this.#status) return
    this.#err.write(`\r${fitted(line, (this.#err.columns || 80) - 1)}\x1b[K`)
    this.#status = line
  }

  /** Text for standard output in a colour, if that is a terminal, or as NO_COLOR and FORCE_COLOR say. */
  paint(colour: Colour, text: string): string {
    return styleText(colour, text, { stream: this.#out })
  }

  /** The result of a check. */
  mark(ok: boolean): string {
    return ok ? this.paint('green', 'ok  ') : this.paint('red', 'FAIL')
  }

  /** The same as paint(), for standard error. */
  paintError(colour: Colour, text: string): string {
    return styleText(colour, text, { stream: this.#err })
  }

  [Symbol.dispose](): void {
    this.setStatus('')
  }
}

/** Standard output was closed by its reader, as `head` does when it has enough. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed'
}

function closedOr(error: Error): Error {
  if (errorCode(error) === 'EPIPE') return new OutputClosed('standard output is closed')
  return Object.assign(error, { path: 'standard output' })
}

// WASM instance: a pool of instances of the scanner's module, each used for a moment at a time. Knows nothing of records.
import { scannerModule } from './scanner-module.ts'

const pageBytes = 65_536
/** Limits of the idle pool: the number of instances, and the memory of each. */
const idleMax = 4
const idleBytesMax = 1_048_576

/** Values of the variables of wasm/scanner/dialect.ts, by their names. */
export type DialectGlobals = Readonly<Record<string, number>>

interface Exports {
  readonly memory: WebAssembly.Memory
  scan(start: number, end: number, isLast: number): number
  toUtf8(table: number, from: number, end: number, out: number, isAscii: number): number
}

/** An instance with its memory, which starts at 128 KiB and only grows. Between calls it keeps nothing but the dialect. */
export class WasmInstance {
  readonly exports: Exports
  bytes: Uint8Array
  words: Uint32Array

  private constructor(exports: Exports) {
    this.exports = exports
    this.bytes = new Uint8Array(exports.memory.buffer)
    this.words = new Uint32Array(exports.memory.buffer)
  }

  /** Takes an idle instance, or makes one. Needs build/scanner.wasm. */
  static take(): WasmInstance {
    return idle.pop() ?? new WasmInstance(instantiate())
  }

  /** Returns it to the pool; its bytes must not be used afterwards. */
  give(): void {
    if (idle.length < idleMax && this.bytes.length <= idleBytesMax) idle.push(this)
  }

  configure(dialect: DialectGlobals): void {
    const globals = this.exports as unknown as Readonly<Record<string, { value: number }>>
    for (const [name, value] of Object.entries(dialect)) globals[name]!.value = value
  }

  /** Grows the memory to at least this size. */
  growTo(bytes: number): void {
    const missingBytes = bytes - this.bytes.length
    if (missingBytes <= 0) return
    this.exports.memory.grow(Math.ceil(missingBytes / pageBytes))
    this.bytes = new Uint8Array(this.exports.memory.buffer)
    this.words = new Uint32Array(this.exports.memory.buffer)
  }
}

const idle: WasmInstance[] = []

function instantiate(): Exports {
  // The shape is that of wasm/scanner/scanner.ts, from which the module was built.
  return new WebAssembly.Instance(scannerModule()).exports as unknown as Exports
}

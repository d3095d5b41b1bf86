// WASM instance: instances of the scanner's module, which few scanners use for a moment each. Knows nothing of records.
import { readFileSync } from 'node:fs'

const pageBytes = 65_536
/** What waits to be used again: as many instances, each of as much memory at most. */
const idleMax = 4
const idleBytesMax = 1_048_576

interface Exports {
  readonly memory: WebAssembly.Memory
  configure(...dialect: readonly number[]): void
  scan(start: number, end: number, isLast: number): number
}

/** An instance with its memory, which starts at 128 KiB and only grows. It keeps nothing between calls but the dialect. */
export class WasmInstance {
  readonly exports: Exports
  bytes: Uint8Array
  words: Uint32Array

  private constructor(exports: Exports) {
    this.exports = exports
    this.bytes = new Uint8Array(exports.memory.buffer)
    this.words = new Uint32Array(exports.memory.buffer)
  }

  /** Gives one that nobody uses. Needs build/scanner.wasm. */
  static take(): WasmInstance {
    return idle.pop() ?? new WasmInstance(instantiate())
  }

  /** Lets others use it; its bytes are theirs then. */
  give(): void {
    if (idle.length < idleMax && this.bytes.length <= idleBytesMax) idle.push(this)
  }

  /** Makes it at least so large. */
  growTo(bytes: number): void {
    const missingBytes = bytes - this.bytes.length
    if (missingBytes <= 0) return
    this.exports.memory.grow(Math.ceil(missingBytes / pageBytes))
    this.bytes = new Uint8Array(this.exports.memory.buffer)
    this.words = new Uint32Array(this.exports.memory.buffer)
  }
}

const idle: WasmInstance[] = []
let compiled: WebAssembly.Module | undefined

function instantiate(): Exports {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('../../../build/scanner.wasm', import.meta.url)))
  // The shape is that of wasm/scanner/scanner.ts, from which the module was built.
  return new WebAssembly.Instance(compiled).exports as unknown as Exports
}

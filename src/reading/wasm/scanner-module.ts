// Scanner module: the compiled code of the scanner. web/check/platform/wasm-modules.ts has it for browsers.
import { readFileSync } from 'node:fs'

let compiled: WebAssembly.Module | undefined

/** Needs build/scanner.wasm. */
export function scannerModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('../../../build/scanner.wasm', import.meta.url)))
  return compiled
}

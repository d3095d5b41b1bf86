// Columns module: the compiled code of the column writer. web/check/platform/wasm-modules.ts has it for browsers.
import { readFileSync } from 'node:fs'

let compiled: WebAssembly.Module | undefined

/** Needs build/columns.wasm. */
export function columnsModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(readFileSync(new URL('../../../build/columns.wasm', import.meta.url)))
  return compiled
}

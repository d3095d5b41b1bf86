// Scanner module: src/reading/wasm/scanner-module.ts for browsers, where code is compiled before it is needed.
let compiled: WebAssembly.Module | undefined

export function keepScannerModule(module: WebAssembly.Module): void {
  compiled = module
}

export function scannerModule(): WebAssembly.Module {
  if (compiled === undefined) throw new Error('the scanner was not loaded')
  return compiled
}

// WASM modules: src/reading/wasm/scanner-module.ts and src/columns/memory/columns-module.ts for browsers, where code is
// compiled before it is needed.
let compiled: { readonly scanner: WebAssembly.Module; readonly columns: WebAssembly.Module } | undefined

export function setModules(scanner: WebAssembly.Module, columns: WebAssembly.Module): void {
  compiled = { scanner, columns }
}

export function scannerModule(): WebAssembly.Module {
  return loaded().scanner
}

export function columnsModule(): WebAssembly.Module {
  return loaded().columns
}

function loaded() {
  if (compiled === undefined) throw new Error('the modules were not loaded')
  return compiled
}

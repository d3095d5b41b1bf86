// Columns module: src/columns/columns-module.ts for browsers, where code is compiled before it is needed.
let compiled: WebAssembly.Module | undefined

export function keepColumnsModule(module: WebAssembly.Module): void {
  compiled = module
}

export function columnsModule(): WebAssembly.Module {
  if (compiled === undefined) throw new Error('the column reader was not loaded')
  return compiled
}

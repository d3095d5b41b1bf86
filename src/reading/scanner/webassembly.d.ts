// WebAssembly: the few declarations the scanner needs; TypeScript has them only beside those of a browser page.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports?: Readonly<Record<string, Readonly<Record<string, unknown>>>>)
    readonly exports: Readonly<Record<string, unknown>>
  }
  class RuntimeError extends Error {}
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(pageCount: number): number
  }
}

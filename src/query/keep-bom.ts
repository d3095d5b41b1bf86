// Keep bom: makes text that is decoded in this process keep a byte order mark in front, which is data where it stands.

// The binding of DuckDB decodes values with a decoder of its own that drops one. To be imported before it is.
globalThis.TextDecoder = class extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ignoreBOM: true, ...options })
  }
}

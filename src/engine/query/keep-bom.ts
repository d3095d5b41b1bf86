// Keep BOM: makes text decoded in this process keep a leading byte order mark, which is data here.

// DuckDB's binding decodes values with a decoder that drops it. Import this before the binding.
globalThis.TextDecoder = class extends TextDecoder {
  constructor(label?: string, options?: ConstructorParameters<typeof TextDecoder>[1]) {
    super(label, { ignoreBOM: true, ...options })
  }
}

// Thrift reader: reads structures in Thrift's compact protocol, as in Parquet metadata. Knows no Parquet.

/** A structure: its values by the ids of their fields. Absent fields are undefined. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>
export type ThriftValue = number | boolean | Uint8Array | ThriftStruct | readonly ThriftValue[]

/** Types of fields and elements, numbered as in the protocol. */
const types = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const

/** Reads what `ThriftWriter` writes. Whole numbers are safe integers. */
export class ThriftReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** @throws {RangeError} if the bytes are not such a structure. */
  struct(): ThriftStruct {
    const fields = new Map<number, ThriftValue>()
    for (let id = 0; ; ) {
      const head = this.#byte()
      if (head === 0) return fields
      const delta = head >> 4
      id = delta === 0 ? this.#zigzag() : id + delta
      fields.set(id, this.#value(head & 15))
    }
  }

  #value(type: number): ThriftValue {
    switch (type) {
      case types.true:
      case types.false:
        return type === types.true
      case types.i32:
      case types.i64:
        return this.#zigzag()
      case types.binary:
        return this.#take(this.#varint())
      case types.list:
        return this.#list()
      case types.struct:
        return this.struct()
      default:
        throw new RangeError(`Cannot read metadata: type ${type}`)
    }
  }

  #list(): readonly ThriftValue[] {
    const head = this.#byte()
    const length = head >> 4 === 15 ? this.#varint() : head >> 4
    const items: ThriftValue[] = []
    for (let i = 0; i < length; i++) items.push(this.#value(head & 15))
    return items
  }

  #zigzag(): number {
    const value = this.#varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** Multiplies, because shifts would cut at 32 bits. */
  #varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte()
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw new RangeError('Cannot read metadata: it ends early')
    return byte
  }

  #take(count: number): Uint8Array {
    if (count > this.#bytes.length - this.#at) throw new RangeError('Cannot read metadata: it ends early')
    this.#at += count
    // A copy, even of a Buffer, whose `slice` would not make one.
    return Uint8Array.from(this.#bytes.subarray(this.#at - count, this.#at))
  }
}

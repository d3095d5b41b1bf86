// Thrift writer: writes structures in Thrift's compact protocol, as in Parquet metadata. Knows no Parquet.

/** Types of fields and elements, numbered as in the protocol. */
const types = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const

const utf8 = new TextEncoder()

/** Writes one structure, field by field with ascending ids. Whole numbers are safe integers. */
export class ThriftWriter {
  #bytes = new Uint8Array(256)
  #length = 0
  /** Id of the last field in each open structure. */
  #lastIds: number[] = [0]

  /** The bytes so far, valid until more are written. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  i32(id: number, value: number): this {
    return this.#field(id, types.i32).#zigzag(value)
  }

  i64(id: number, value: number): this {
    return this.#field(id, types.i64).#zigzag(value)
  }

  bool(id: number, value: boolean): this {
    return this.#field(id, value ? types.true : types.false)
  }

  binary(id: number, value: Uint8Array): this {
    return this.#field(id, types.binary).#binary(value)
  }

  text(id: number, value: string): this {
    return this.binary(id, utf8.encode(value))
  }

  struct(id: number, write: (writer: this) => void): this {
    this.#field(id, types.struct)
    return this.#struct(write)
  }

  structs<T>(id: number, items: readonly T[], write: (writer: this, item: T, index: number) => void): this {
    this.#list(id, types.struct, items.length)
    items.forEach((item, index) => {
      this.#struct((writer) => write(writer, item, index))
    })
    return this
  }

  i32s(id: number, values: readonly number[]): this {
    this.#list(id, types.i32, values.length)
    for (const value of values) this.#zigzag(value)
    return this
  }

  texts(id: number, values: readonly string[]): this {
    this.#list(id, types.binary, values.length)
    for (const value of values) this.#binary(utf8.encode(value))
    return this
  }

  /** Ends the structure itself. */
  end(): Uint8Array {
    this.#byte(0)
    return this.bytes
  }

  #struct(write: (writer: this) => void): this {
    this.#lastIds.push(0)
    write(this)
    this.#lastIds.pop()
    return this.#byte(0)
  }

  #list(id: number, type: number, length: number): void {
    this.#field(id, types.list)
    if (length < 15) this.#byte((length << 4) | type)
    else this.#byte(0xf0 | type).#varint(length)
  }

  #field(id: number, type: number): this {
    const last = this.#lastIds.length - 1
    const delta = id - (this.#lastIds[last] ?? 0)
    this.#lastIds[last] = id
    return delta > 0 && delta < 16 ? this.#byte((delta << 4) | type) : this.#byte(type).#zigzag(id)
  }

  #binary(value: Uint8Array): this {
    this.#varint(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
    return this
  }

  #zigzag(value: number): this {
    return this.#varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** Divides, because shifts would cut at 32 bits. */
  #varint(value: number): this {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#byte((rest % 128) | 128)
    return this.#byte(rest)
  }

  #byte(value: number): this {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
    return this
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const bytes = new Uint8Array(Math.max(this.#length + count, this.#bytes.length * 2))
    bytes.set(this.bytes)
    this.#bytes = bytes
  }
}

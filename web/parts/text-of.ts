// Text of: a value of a cell as text. Knows no element.

/** Null is empty; lists and structs are JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

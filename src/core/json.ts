// JSON: what can be asked of a value that someone else has written.

/** True for an object that is not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Members: checks JSON from elsewhere for the members that are needed. Why not by TypeBox: docs/decisions/command-line.md.

/** The types of members by their path: `records.total`; or the values that one may have. */
export type MemberTypes = Readonly<Record<string, 'string' | 'number' | 'array' | 'object' | readonly string[]>>

/** True if the value has every member with its type. */
export function hasMembers(value: unknown, types: MemberTypes): boolean {
  return Object.entries(types).every(([path, type]) => {
    const member = path.split('.').reduce<unknown>((of, name) => memberOf(of, name), value)
    if (typeof type !== 'string') return type.some((one) => one === member)
    return type === 'array' ? Array.isArray(member) : typeof member === type && member !== null
  })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** The parsed value of a JSON text; null if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

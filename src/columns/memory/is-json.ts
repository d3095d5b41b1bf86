// Is JSON: whether a text is an object or an array in JSON (RFC 8259). Keeps nothing of it.

export function isJson(text: string, isArray: boolean): boolean {
  if (!(isArray ? /^[ \t\n\r]*\[/ : /^[ \t\n\r]*\{/).test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

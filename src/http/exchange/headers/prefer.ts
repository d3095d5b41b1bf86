// Prefer: how a client would like to be answered (RFC 7240). Unknown preferences are ignored.

/**
 * Preferences by name in lower case; the first one if a preference is repeated. The value is empty if none is given.
 */
export function preferences(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  // Names and values are tokens, or quoted strings in which commas and semicolons have no meaning for us.
  for (const one of lines.join(',').matchAll(/([^\s,;="]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;"]*)))?[^,]*/g)) {
    const [, name = '', quoted, plain = ''] = one
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted ?? plain)
  }
  return found
}

/** Whether a client prefers not to wait for the result. */
export function prefersAsync(lines: readonly string[]): boolean {
  return preferences(lines).has('respond-async')
}

/** How many seconds a client is willing to wait, at most `secondsMax`; null if it does not say. */
export function preferredWait(lines: readonly string[], secondsMax: number): number | null {
  const wait = preferences(lines).get('wait')
  return wait !== undefined && /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), secondsMax) : null
}

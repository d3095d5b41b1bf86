// Prefer: what a client would like of the way it is answered (RFC 7240). A preference that is not understood is no error.

/** Preferences by name in lower case; of one that is given twice, the first. A preference without a value has an empty one. */
export function preferences(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  // Names and values are tokens, or quoted texts in which no comma or semicolon matters to us.
  for (const one of lines.join(',').matchAll(/([^\s,;="]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,;"]*)))?[^,]*/g)) {
    const [, name = '', quoted, plain = ''] = one
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted ?? plain)
  }
  return found
}

/** Whether a client would rather not wait for the end of what it asks for. */
export function prefersAsync(lines: readonly string[]): boolean {
  return preferences(lines).has('respond-async')
}

/** For how many seconds a client is ready to wait, `secondsMax` at most; null where it is not. */
export function preferredWait(lines: readonly string[], secondsMax: number): number | null {
  const wait = preferences(lines).get('wait')
  return wait !== undefined && /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), secondsMax) : null
}

// Content-Disposition: a file name that any client may have sent, made safe for a header.

const nameLengthMax = 200

/**
 * The header value that saves a body under a name: an ASCII name for old clients and the real one beside it where they
 * differ (RFC 6266, RFC 8187). Neither a quote nor a line end nor a path can come out of it.
 */
export function attachment(fileName: string): string {
  const name = Array.from(cleaned(fileName)).slice(0, nameLengthMax).join('') || 'data'
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_')
  return ascii === name ? `attachment; filename="${name}"` : `attachment; filename="${ascii}"; ${extended(name)}`
}

/** `sales.CSV` with another ending: `sales.parquet`. */
export function withExtension(fileName: string, extension: string): string {
  return `${fileName.replace(/\.(csv|tsv|tab|txt)$/i, '')}.${extension}`
}

/** Without path separators, control characters and those that turn the reading direction. */
function cleaned(fileName: string): string {
  const last = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  return last.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '')
}

function extended(name: string): string {
  const escaped = encodeURIComponent(name).replaceAll(
    /['()*!]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename*=UTF-8''${escaped}`
}

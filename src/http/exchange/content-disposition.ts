// Content disposition: makes a file name, which any client may have sent, safe for a header.

const nameLengthMax = 200
const endLengthKept = 20

/**
 * The header value that makes a browser save a body under a name: an ASCII name for old clients, followed by the real
 * one where they differ (RFC 6266, RFC 8187). It never contains a quote, a line end or a path from the name.
 */
export function attachment(fileName: string): string {
  const name = shortened(cleaned(fileName)) || 'data'
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_')
  return ascii === name ? `attachment; filename="${name}"` : `attachment; filename="${ascii}"; ${extended(name)}`
}

/** `sales.CSV` or `sales.csv.gz` with another extension: `sales.parquet`; `data.parquet` for a file without a name. */
export function withExtension(fileName: string, extension: string): string {
  const endings = /(?:\.(?:csv|tsv|tab|txt))?(?:\.(?:gz|gzip|zst|zstd))$|\.(?:csv|tsv|tab|txt)$/i
  return `${cleaned(fileName).replace(endings, '') || 'data'}.${extension}`
}

/** Without path separators, control characters and characters that change the text direction. */
function cleaned(fileName: string): string {
  const last = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  return last.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '')
}

/** Shortens a name that is too long in the middle, since its end shows the type of the file. */
function shortened(name: string): string {
  const letters = Array.from(name)
  if (letters.length <= nameLengthMax) return name
  return [...letters.slice(0, nameLengthMax - endLengthKept), ...letters.slice(-endLengthKept)].join('')
}

function extended(name: string): string {
  const escaped = encodeURIComponent(name).replaceAll(
    /['()*!]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `filename*=UTF-8''${escaped}`
}

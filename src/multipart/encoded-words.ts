// Encoded words: decodes `=?UTF-8?Q?Z=C3=BCrich?=` of RFC 2047, for file names written by mail libraries. Knows no header.

const charset = "[\\w!#$%&'+^`{}~.:-]{1,40}"
const wordPattern = new RegExp(`=\\?(${charset})\\?([bq])\\?([!->@-~]*)\\?=`, 'gi')
/** Words with only blanks between them, as a whole token of the text. The blanks are not part of it (section 6.2). */
const runPattern = new RegExp(
  `(?<![^ \\t])=\\?${charset}\\?[bq]\\?[!->@-~]*\\?=(?:[ \\t]+=\\?${charset}\\?[bq]\\?[!->@-~]*\\?=)*(?![^ \\t])`,
  'gi',
)

/** Decodes the words of a text. A run of words that cannot be decoded, or that hides control characters, is left as it is. */
export function decodeWords(text: string): string {
  return text.includes('=?') ? text.replace(runPattern, (run) => decodeRun(run) ?? run) : text
}

function decodeRun(run: string): string | null {
  const words = [...run.matchAll(wordPattern)].map(([, label = '', coding = '', content = '']) => ({
    label: label.toLowerCase(),
    bytes: coding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : quotedBytes(content),
  }))
  let decoded = ''
  for (let from = 0; from < words.length; ) {
    const label = words[from]?.label ?? ''
    const after = words.findIndex((word, index) => index > from && word.label !== label)
    const end = after === -1 ? words.length : after
    // Some clients split a character between two words.
    const text = decodeBytes(Buffer.concat(words.slice(from, end).map(({ bytes }) => bytes)), label)
    if (text === null) return null
    decoded += text
    from = end
  }
  return /\p{Cc}/u.test(decoded) ? null : decoded
}

function quotedBytes(content: string): Buffer {
  const text = content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(text, 'latin1')
}

function decodeBytes(bytes: Buffer, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

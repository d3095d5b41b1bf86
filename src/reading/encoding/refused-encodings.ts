// Refused encodings: those that write characters as ASCII bytes, so that a text can hide markup, and that browsers therefore
// do not read (the replacement encoding of encoding.spec.whatwg.org). ISO-2022-JP is read by both. Knows no errors.

interface RefusedEncoding {
  readonly name: string
  readonly labels: readonly string[]
  /** Escape sequences that its text values must contain (RFC 1557, RFC 1922); none if they may be plain ASCII as well. */
  readonly designators: readonly string[]
  /** glibc's iconv does not know HZ. */
  readonly command: string
}

const refused: readonly RefusedEncoding[] = [
  {
    name: 'UTF-7',
    labels: ['utf-7', 'utf7', 'csutf7', 'unicode-1-1-utf-7'],
    designators: [],
    command: 'iconv -f UTF-7',
  },
  { name: 'HZ', labels: ['hz', 'hz-gb-2312'], designators: [], command: 'uconv -f HZ' },
  {
    name: 'ISO-2022-KR',
    labels: ['iso-2022-kr', 'csiso2022kr'],
    designators: ['\x1b$)C'],
    command: 'iconv -f ISO-2022-KR',
  },
  {
    name: 'ISO-2022-CN',
    labels: ['iso-2022-cn', 'iso-2022-cn-ext'],
    designators: ['\x1b$)A', '\x1b$)G', '\x1b$)E'],
    command: 'iconv -f ISO-2022-CN-EXT',
  },
]

const shiftOut = '\x0e'

/** What to send instead of a file in the declared encoding; null for all other labels. */
export function declaredRefusal(label: string): string | null {
  const found = refused.find(({ labels }) => labels.includes(label.trim().toLowerCase()))
  return found === undefined ? null : `an encoding that browsers read, too: ${wayOut(found)}`
}

/** Why a text of ASCII bytes is not read, and what to send instead; null unless it designates such characters and shifts to them. */
export function provenRefusal(text: string): string | null {
  if (!text.includes(shiftOut)) return null
  const found = refused.find(({ designators }) => designators.some((one) => text.includes(one)))
  return found === undefined ? null : `it is in ${found.name}, which browsers do not read either; ${wayOut(found)}`
}

/** Characters of the first level of GB 2312 in seven bits (RFC 1843), which nearly all are, between the shifts of HZ. */
const hzRun = /~\{((?:[0-W][!-~])+)~\}/g

/**
 * Why a text of ASCII bytes may be HZ; null unless every shift encloses such characters, in at least two places, and marks
 * among them show that a third are not placeholders, such as `~{NAME~}`.
 */
export function hzDoubt(text: string): string | null {
  const runs = Array.from(text.matchAll(hzRun), ([, run = '']) => run)
  const marked = runs.filter((run) => /\W/.test(run))
  if (runs.length < 2 || runs.length * 2 !== text.split(/~[{}]/).length - 1 || marked.length * 3 < runs.length)
    return null
  return 'utf-8 was used, but text values between `~{` and `~}` are Chinese in HZ, which browsers do not read either; if they are, convert the file with uconv -f HZ -t UTF-8, and send that'
}

function wayOut({ command }: RefusedEncoding): string {
  return `convert the file with ${command} -t UTF-8, and send that`
}

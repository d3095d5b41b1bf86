// Document kind: recognizes texts that are a document of another format, HTML, XML or JSON, and not a table. Knows no dialects.

export type DocumentKind = 'an HTML page' | 'an XML document' | 'a JSON document'

const beginnings: readonly (readonly [DocumentKind, RegExp])[] = [
  ['an HTML page', /^\s*<(?:!doctype html|html|head|body|table)\b/i],
  ['an XML document', /^\s*<\?xml\b/i],
  ['a JSON document', /^\s*(?:\{\s*"|\[\s*[[{])/],
]

/** The kind of document that a text begins like, whole or broken: a doubt. */
export function beginningKind(text: string): DocumentKind | null {
  return beginnings.find(([, begins]) => begins.test(text))?.[0] ?? null
}

/** A document is recognized by its beginning. Characters. */
const sampleLength = 262_144

/**
 * The kind of document that the text is as a whole; null for everything that can be a table. A table may have markup or
 * JSON in its first field and in all others, so the beginning of the text is not enough: the element or value with which
 * it begins has to extend to its end.
 *
 * @param isWhole False if the text is only the beginning of the file.
 */
export function documentKind(text: string, isWhole: boolean): DocumentKind | null {
  const sample = text.slice(0, sampleLength).trimStart()
  const isEnd = isWhole && text.length <= sampleLength
  if (sample.startsWith('<')) return markupKind(sample, isEnd)
  return /^[{[]/.test(sample) && isJson(sample, isEnd) ? 'a JSON document' : null
}

const htmlNames = new Set(['html', 'head', 'body', 'table', 'div'])

function markupKind(sample: string, isEnd: boolean): DocumentKind | null {
  const start = behindProlog(sample, 0)
  const prolog = sample.slice(0, start).toLowerCase()
  const root = /^<([a-z_][\w:.-]*)(?=[\s/>])/i.exec(sample.slice(start, start + 200))?.[1]?.toLowerCase()
  if (root === undefined) return null
  const isHtml = /<!doctype\s+html\b/.test(prolog) || htmlNames.has(root)
  const extent = extentOf(root, sample, start)
  if (extent === 'less') return null
  if (extent === 'open') {
    // An unclosed one may be a name in angle brackets, unless the text declares itself a document.
    const isDeclared = prolog.includes('<?xml') || prolog.includes('<!doctype')
    if (!isDeclared && (isEnd ? root !== 'html' && root !== 'table' : !isHtml)) return null
  }
  return isHtml ? 'an HTML page' : 'an XML document'
}

/** Start of the element that follows blanks, comments, declarations and the document type. */
function behindProlog(text: string, from: number): number {
  for (let at = from; ; ) {
    while (at < text.length && text.charAt(at).trim() === '') at += 1
    const close = text.startsWith('<!--', at) ? '-->' : /^<[?!]/.test(text.slice(at, at + 2)) ? '>' : null
    const end = close === null ? -1 : text.indexOf(close, at)
    if (close === null || end < 0) return at
    at = end + close.length
  }
}

/** Whether the element that begins at `start` covers the whole text; `open` if it contains others and is not closed. */
function extentOf(root: string, text: string, start: number): 'all' | 'open' | 'less' {
  let depth = 0
  let hasOthers = false
  for (const { index, 0: whole, 1: slash, 2: name, 3: attributes } of text
    .slice(start)
    .matchAll(/<(\/?)([a-z_][\w:.-]*)([^<>]*)>/gi)) {
    if (name?.toLowerCase() !== root) {
      hasOthers = true
      continue
    }
    if (slash === '/') depth -= 1
    else if (!attributes?.endsWith('/')) depth += 1
    if (depth <= 0) return behindProlog(text, start + index + whole.length) === text.length ? 'all' : 'less'
  }
  return hasOthers ? 'open' : 'less'
}

const token = /\s*("(?:[^"\\\n]|\\.)*"|[{}[\]:,]|-?\d[\d.eE+-]*|true|false|null)/y

/**
 * True for objects and for arrays of objects or arrays, one in all or one per line. A bracketed list on each line may be a
 * table: that is too little evidence.
 */
function isJson(sample: string, isEnd: boolean): boolean {
  let depth = 0
  let isNested = false
  let hasEnded = false
  let before = ''
  for (token.lastIndex = 0; ; ) {
    const at = token.lastIndex
    const found = token.exec(sample)?.[1]
    if (found === undefined) {
      const rest = sample.slice(at).trim()
      // A token cut off at the end of the sample is not a mistake in the text.
      return isNested && (rest === '' ? !isEnd || depth === 0 : !isEnd && at > sample.length / 2)
    }
    const isOpening = found === '{' || found === '['
    if (depth === 0 && !(isOpening && (!hasEnded || /[\r\n]\s*$/.test(sample.slice(at, token.lastIndex - 1)))))
      return false
    if (before === '{' && !found.startsWith('"') && found !== '}') return false
    if (isOpening) {
      depth += 1
      isNested ||= found === '{' || depth > 1
    } else if (found === '}' || found === ']') {
      depth -= 1
      hasEnded ||= depth === 0
    }
    before = found
  }
}

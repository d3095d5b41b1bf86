// Detect dialect: finds the layout under which a text is the most uniform table. Knows nothing of bytes, headers or names.

import type { DeclaredDialect } from '../reading.ts'
import { isOuter } from './nested-lists.ts'
import { plainReading } from './plain-quotes.ts'
import { suspectValues } from './runaway-quotes.ts'
import { type Candidate, delimiterWeights, raggedShare, score, typedTableAtEnd } from './score-layout.ts'
import {
  cutsTimes,
  isHeadedByOne,
  isMostlyUniform,
  isNearlyUniform,
  isOneColumn,
  isQuotedColumn,
} from './single-column.ts'
import {
  fieldsOf,
  fits,
  hasInnerQuote,
  isBlank,
  isQuoted,
  isWhole,
  type Layout,
  recordCount,
  type Tokens,
  tokenize,
} from './tokenize.ts'

const backslash = 0x5c

/** Best first, one per delimiter. */
export type Candidates = readonly [Candidate, ...Candidate[]]

/** Tries layouts on `text` and ranks them by how uniform a table it is under each. Declared settings are not varied. */
export function rankLayouts(text: string, isCut: boolean, declared: DeclaredDialect): Candidates {
  const lineEnd = declaredLineEnd(declared, text) ?? lineEndOf(text)
  const ranked = rankDelimiters(text, isCut, declared, lineEnd)
  if (declared.lineTerminator !== undefined || lineEnd === 'cr' || loneReturns(text) < 2) return ranked
  // Where records end with CR, texts contain line feeds of their own. CR must win clearly, because programs write LF.
  const withReturns = rankDelimiters(text, isCut, declared, 'cr')
  return withReturns[0].width > 1 && withReturns[0].score > ranked[0].score * 2 ? withReturns : ranked
}

/** The delimiter named by a first line such as `sep=;`, as Excel writes and reads it; null without such a line. */
export function namedDelimiter(text: string): string | null {
  return /^"?sep=([^"\r\n])"?(?:[\r\n]|$)/i.exec(text)?.[1] ?? null
}

/** Tries the layouts with the delimiter that the first line names, and all others if that does not yield a table. */
export function rankNamed(text: string, isCut: boolean, declared: DeclaredDialect, named: string | null): Candidates {
  if (named === null) return rankLayouts(text, isCut, declared)
  const isTaken = charactersOf(declared).includes(named)
  const body = text.slice(text.search(/[\r\n]|$/)).replace(/^\r?\n?/, '')
  const ranked = rankLayouts(body, isCut, isTaken ? declared : { delimiter: named, ...declared })
  const free = ranked[0].width > 1 ? ranked : rankLayouts(body, isCut, declared)
  return free[0].width > 1 ? free : ranked
}

function rankDelimiters(
  text: string,
  isCut: boolean,
  declared: DeclaredDialect,
  lineEnd: Layout['lineEnd'],
): Candidates {
  const candidates: Candidate[] = []
  /** A common delimiter occurs in the values of one column. */
  let hasValuesWithIt = false
  /** The blanks between the words of a message delimit only if all messages have as many. */
  let isLog = false
  for (const delimiter of delimitersIn(text, declared)) {
    const tried = quotesIn(text, delimiter, declared).flatMap((quote) =>
      spacesFollow(text, delimiter, declared).flatMap((skips) =>
        withEscapes(text, layoutOf(delimiter, quote, skips, lineEnd, declared), isCut, declared),
      ),
    )
    if (declared.quoteChar === undefined) {
      const plain = plainReading(
        text,
        layoutOf(delimiter, null, declared.skipInitialSpace ?? false, lineEnd, declared),
        isCut,
        tried,
      )
      if (plain?.isSure) tried.splice(0)
      if (plain !== null) tried.push(plain.candidate)
    }
    const best = tried.sort((a, b) => b.score - a.score)[0]
    if (best === undefined) continue
    if (declared.delimiter === undefined && cutsTimes(best)) isLog = true
    else if (!cutsSingleColumn(best, declared)) candidates.push(best)
    else if (isUsual(best.tokens)) hasValuesWithIt = true
  }
  // What occurs within such values, like the blanks of a name, is even less likely to be a delimiter.
  const apart = candidates.filter((one) => {
    if (isUsual(one.tokens)) return true
    if (hasValuesWithIt && isHeadedByOne(one.tokens)) return false
    return !isLog || isNearlyUniform(one)
  })
  const ranked = apart.sort((a, b) => b.score - a.score)
  // What is left of those of low weight is proven to be a table, however little it scores.
  // So is one of those programs write, at the end of a text whose other lines are titles.
  const isTable = (one: Candidate) => {
    return one.width > 1 && (isUsual(one.tokens) ? typedTableAtEnd(one.tokens) !== null : isMostlyUniform(one))
  }
  const tables = ranked[0]?.width === 1 ? ranked.toSorted((a, b) => Number(isTable(b)) - Number(isTable(a))) : ranked
  const [best, ...others] = raggedFirst(outerFirst(wholeFirst(tables)), declared)
  if (best === undefined || (best.width === 1 && declared.delimiter === undefined)) {
    return [singleColumn(text, isCut, lineEnd, declared), ...others]
  }
  return [best, ...others]
}

/**
 * A reading that takes the first record for a title gives way to one in which all records, including the first, have
 * the same number of fields: lists in the cells of a table are not its columns. A broken record is no title.
 */
function wholeFirst(ranked: readonly Candidate[]): readonly Candidate[] {
  const [best] = ranked
  if (best === undefined || best.tokens.broken.has(0) || isWhole(best.tokens, 1, best.width)) return ranked
  const whole = ranked.find(
    ({ tokens, width }) => width > 1 && recordCount(tokens) > 1 && isWhole(tokens, Infinity, width),
  )
  return whole === undefined ? ranked : [whole, ...ranked.filter((candidate) => candidate !== whole)]
}

/** A reading whose lists the best one cuts, while it leaves several other columns in one, comes before it. */
function outerFirst(ranked: readonly Candidate[]): readonly Candidate[] {
  const [best] = ranked
  if (best === undefined || best.width < 2) return ranked
  const outer = ranked.find(
    ({ tokens, width }) =>
      tokens !== best.tokens &&
      width > 1 &&
      isUsual(tokens) &&
      isWhole(tokens, Infinity, width) &&
      isOuter(tokens, best.tokens),
  )
  return outer === undefined ? ranked : [outer, ...ranked.filter((candidate) => candidate !== outer)]
}

/** Where records may lack fields, no width need be usual: before one column comes the reading with the most of its fields. */
function raggedFirst(ranked: readonly Candidate[], { padShortRecords }: DeclaredDialect): readonly Candidate[] {
  if (!padShortRecords || ranked[0]?.width !== 1) return ranked
  const shares = ranked.map((one) => ({ one, share: isUsual(one.tokens) ? raggedShare(one.tokens) : 0 }))
  const [most] = shares.sort((a, b) => b.share - a.share)
  if (most === undefined || most.share === 0) return ranked
  const ragged = { ...most.one, width: Math.max(2, most.one.width) }
  return [ragged, ...ranked.filter((candidate) => candidate !== most.one)]
}

/** One column also needs a delimiter: the first that does not occur outside quotes, so that every line is a value. */
function singleColumn(text: string, isCut: boolean, lineEnd: Layout['lineEnd'], declared: DeclaredDialect): Candidate {
  const mark = declaredEscape(declared) ?? 'doubled'
  const read = (delimiter: string, quote: string | null) => {
    const layout = layoutOf(delimiter, quote, declared.skipInitialSpace ?? false, lineEnd, declared)
    return score(tokenize(text, { ...layout, escape: mark }, isCut))
  }
  const quotes = declared.quoteChar === undefined ? [...freeOf(['"'], declared), null] : [declared.quoteChar]
  for (const quote of quotes) {
    // In what follows, any character of texts may occur.
    const usual = (isCut ? ['\u001f'] : [',', ';', '\t', '|']).filter(
      (one) => one === declared.delimiter || !charactersOf(declared).includes(one),
    )
    const tried = usual.map((delimiter) => read(delimiter, quote))
    const whole = tried.find(
      ({ tokens }) => tokens.broken.size === 0 && tokens.fieldStarts.length === recordCount(tokens),
    )
    if (whole !== undefined) return whole
    const quoted = quote === null ? undefined : tried.find(isQuotedColumn)
    if (quoted !== undefined) return quoted
  }
  return read('\u001f', declared.quoteChar ?? null)
}

function layoutOf(
  delimiter: string,
  quote: string | null,
  skipInitialSpace: boolean,
  lineEnd: Layout['lineEnd'],
  { escapeChar, doubleQuote, commentChar }: DeclaredDialect,
): Layout {
  const quoteCode = quote === null ? 'none' : quote.charCodeAt(0)
  const layout = {
    delimiter: delimiter.charCodeAt(0),
    quote: quoteCode,
    escape: 'doubled',
    skipInitialSpace,
    ...(commentChar !== undefined && { comment: commentChar ?? '' }),
    lineEnd,
  } as const
  if (escapeChar === undefined || escapeChar === quote) return layout
  return { ...layout, isEscapeDeclared: true, ...(escapeChar !== null && doubleQuote && { doublesToo: true }) }
}

/** Where CR LF is declared and occurs, an LF alone ends nothing. */
function declaredLineEnd({ lineTerminator }: DeclaredDialect, text: string): Layout['lineEnd'] | undefined {
  if (lineTerminator === '\r\n' && text.includes('\r\n')) return 'crlf'
  return lineTerminator === undefined ? undefined : lineTerminator === '\r' ? 'cr' : 'lf'
}

function declaredEscape(declared: DeclaredDialect): Layout['escape'] | undefined {
  if (declared.escapeChar)
    return declared.escapeChar === (declared.quoteChar ?? '"') ? 'doubled' : declared.escapeChar.charCodeAt(0)
  if (declared.doubleQuote === undefined) return declared.escapeChar === null ? 'doubled' : undefined
  return declared.doubleQuote ? 'doubled' : 'nothing'
}

/**
 * The records of a text that may be cut inside a quoted field, as in scoreText(), without a score if none is needed.
 *
 * @param sample Its layout is used, and also its records if it has the same text.
 */
export function bestTokens(text: string, sample: Tokens, isCut: boolean): Tokens {
  if (sample.text === text && sample.unclosed === null) return sample
  const tokens = tokenize(text, sample.layout, isCut)
  return mayBeWhole(tokens, isCut) ? scoreTokens(tokens, isCut).tokens : tokens
}

/**
 * Scores a text that may be cut inside a quoted field: in that case, the records before that field are scored, too, and
 * may count.
 */
function scoreText(text: string, layout: Layout, isCut: boolean): Candidate {
  return scoreTokens(tokenize(text, layout, isCut), isCut)
}

/** True if the records before an unclosed field may be all there are. */
function mayBeWhole({ unclosed }: Tokens, isCut: boolean): boolean {
  return isCut && unclosed !== null && unclosed >= 2
}

function scoreTokens(tokens: Tokens, isCut: boolean): Candidate {
  const all = score(tokens)
  const { text, layout, unclosed } = tokens
  if (unclosed === null || !mayBeWhole(tokens, isCut)) return all
  const whole = score(tokenize(text.slice(0, tokens.recordStarts[unclosed]), layout, false))
  // A stray quote leaves the records after it as they are; they are dropped only if they do not form a table.
  return whole.score > all.score * 1.2 ? { ...whole, tokens: { ...whole.tokens, unclosed } } : all
}

/** In a file that does not escape quotes, some look escaped by chance. */
const unescapedPerEscaped = 4

/** The layout with doubled quotes, and with other escapes if that leaves records broken. */
function withEscapes(text: string, layout: Layout, isCut: boolean, declared: DeclaredDialect): Candidate[] {
  const known = declaredEscape(declared)
  if (known !== undefined) return [scoreText(text, { ...layout, escape: known }, isCut)]
  const doubled = scoreText(text, layout, isCut)
  if (doubled.tokens.broken.size < 2 || layout.quote === 'none') return [doubled]
  const others: Candidate[] = []
  if (text.includes(`\\${String.fromCharCode(layout.quote)}`)) {
    others.push(scoreText(text, { ...layout, escape: backslash }, isCut))
  }
  // If quotes are escaped in one of a few such values, the others are slips, and not another style.
  const isEscaping = [doubled, ...others].some(
    (one) => escapedCount(one.tokens) * unescapedPerEscaped > one.tokens.broken.size,
  )
  if (!isEscaping) others.push(scoreText(text, { ...layout, escape: 'nothing' }, isCut))
  const isBetter = ({ tokens, width }: Candidate) =>
    width > 1 && faults(tokens, width) <= faults(doubled.tokens, width) - doubled.tokens.broken.size / 2
  return [doubled, ...others.filter(isBetter)]
}

/** Records of another width, and values that look like records. */
function faults(tokens: Tokens, width: number): number {
  const records = Array.from(tokens.recordStarts.keys())
  const unfit = records.filter((record) => !isBlank(tokens, record) && !fits(tokens, record, width))
  return unfit.length + suspectValues(tokens, width)
}

/** Fields that contain quotes written as the layout requires. */
function escapedCount(tokens: Tokens): number {
  const records = Array.from(tokens.recordStarts.keys()).filter((record) => !tokens.broken.has(record))
  const fields = records.flatMap((record) => fieldsOf(tokens, record))
  return fields.filter((field) => isQuoted(tokens, field) && hasInnerQuote(tokens, field)).length
}

/**
 * CR only if it ends more lines than LF, both inside and outside of quotes, or if LF occurs only inside quotes: a lone
 * CR in an LF file is content.
 */
function lineEndOf(text: string): 'lf' | 'cr' {
  if (loneReturns(text) === 0) return 'lf'
  const outside = text.replaceAll(/"[^"]*"/g, '')
  return hasMoreCrs(outside) && (hasMoreCrs(text) || !outside.includes('\n')) ? 'cr' : 'lf'
}

function hasMoreCrs(text: string): boolean {
  return loneReturns(text) > countOf(text, '\n')
}

/** Carriage returns that precede no line feed. */
function loneReturns(text: string): number {
  const returns = countOf(text, '\r')
  return returns === 0 ? 0 : returns - countOf(text, '\r\n')
}

/** Delimiters that occur on the lines of the text, at least on every fourth of them or, if programs write them, on the last. */
function delimitersIn(text: string, declared: DeclaredDialect): string[] {
  if (declared.delimiter !== undefined) return [declared.delimiter.charAt(0)]
  const wanted = (countOf(text, '\n') + countOf(text, '\r')) / 4
  const taken = charactersOf(declared)
  const end = text.trimEnd()
  const lastLine = end.slice(Math.max(end.lastIndexOf('\n'), end.lastIndexOf('\r')) + 1)
  const found = Object.keys(delimiterWeights).filter((delimiter) => {
    if (taken.includes(delimiter)) return false
    const count = countOf(text, delimiter, wanted)
    return count > 0 && (count >= wanted || (delimiterWeights[delimiter] === 1 && lastLine.includes(delimiter)))
  })
  return found.includes(',') || taken.includes(',') ? found : [',', ...found]
}

/** Characters with a declared meaning: none of them is tried as anything else. */
function charactersOf({ delimiter, quoteChar, escapeChar, commentChar }: DeclaredDialect): readonly string[] {
  return [delimiter?.charAt(0), quoteChar, escapeChar, commentChar].filter((one) => typeof one === 'string')
}

/** How often something occurs in a text, up to `end`; beyond `max`, counting stops. */
export function countOf(text: string, wanted: string, max = Infinity, end = text.length): number {
  let count = 0
  for (let at = text.indexOf(wanted); at >= 0 && at < end && count <= max; at = text.indexOf(wanted, at + 1)) count += 1
  return count
}

/** Quote characters worth trying: always the double quote, others if they open and close fields. */
function quotesIn(text: string, delimiter: string, declared: DeclaredDialect): (string | null)[] {
  if (declared.quoteChar !== undefined) return [declared.quoteChar]
  const free = freeOf(opensAndCloses(text, "'", delimiter) ? ['"', "'"] : ['"'], declared)
  return free.length > 0 ? free : [null]
}

/** Quotes without another declared meaning; `"` as the escape means that quotes are doubled. */
function freeOf(quotes: readonly string[], declared: DeclaredDialect): string[] {
  const { escapeChar, ...others } = declared
  const taken = charactersOf(escapeChar === '"' ? others : declared)
  return quotes.filter((quote) => !taken.includes(quote))
}

/** True if fields begin and end with the quote, at least twice each, ignoring blanks beside it. */
function opensAndCloses(text: string, quote: string, delimiter: string): boolean {
  let opens = 0
  let closes = 0
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = at - 1
    while (text[before] === ' ' && delimiter !== ' ') before -= 1
    let after = at + 1
    while (text[after] === ' ' && delimiter !== ' ') after += 1
    if (isEdge(text[before], delimiter)) opens += 1
    if (isEdge(text[after], delimiter)) closes += 1
    if (opens >= 2 && closes >= 2) return true
  }
  return false
}

function isEdge(character: string | undefined, delimiter: string): boolean {
  return character === undefined || character === delimiter || character === '\n' || character === '\r'
}

function isUsual({ layout }: Tokens): boolean {
  return (delimiterWeights[String.fromCharCode(layout.delimiter)] ?? 1) >= 1
}

/** A declared delimiter always splits. */
function cutsSingleColumn(candidate: Candidate, { delimiter }: DeclaredDialect): boolean {
  return delimiter === undefined && isOneColumn(candidate)
}

/** Whether to try ignoring blanks after a delimiter: false, true or both. */
function spacesFollow(text: string, delimiter: string, declared: DeclaredDialect): boolean[] {
  if (declared.skipInitialSpace !== undefined) return [declared.skipInitialSpace]
  if (declared.delimiter === ', ') return [true]
  if (delimiter === ' ' || delimiter === '\t') return [false]
  const spaced = countOf(text, `${delimiter} `)
  const all = countOf(text, delimiter, 2 * spaced)
  if (spaced > all * 0.95) return [true]
  return spaced * 2 > all ? [false, true] : [false]
}

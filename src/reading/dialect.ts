// Dialect: finds the layout under which a text is the most uniform table. Knows nothing of bytes, headers or names.
import { isMeasured, kindOf } from './kinds.ts'
import type { StatedDialect } from './reading.ts'
import {
  fieldValue,
  fits,
  isBlank,
  isQuoted,
  type Layout,
  recordCount,
  type Tokens,
  tokenize,
  widthOf,
} from './tokens.ts'

/** A layout that was tried, and what the text is under it. */
export interface Candidate {
  readonly tokens: Tokens
  /** Fields of most records. */
  readonly width: number
  /** 0 … 1; comparable within one text only. */
  readonly score: number
}

/**
 * How much a character is believed to be a delimiter before the text is looked at: comma, semicolon, tab and bar are what
 * programs write; the others stand in ordinary text and values too.
 */
const delimiterWeights: Readonly<Record<string, number>> = {
  ',': 1,
  ';': 1,
  '\t': 1,
  '|': 1,
  '\u0001': 1,
  '\u001f': 1,
  '^': 0.7,
  '~': 0.7,
  ' ': 0.6,
  '#': 0.5,
  '*': 0.5,
  ':': 0.4,
  '=': 0.4,
  '&': 0.4,
  '!': 0.4,
}

const apostrophe = 0x27
const recordsScoredMax = 100
const fieldsScoredMax = 1500

/** Best first, one a delimiter. */
export type Ranking = readonly [Candidate, ...Candidate[]]

/** Tries layouts on `text` and ranks them by how uniform a table it is under each. What is stated is not varied. */
export function rankLayouts(text: string, isCut: boolean, stated: StatedDialect): Ranking {
  const lineEnd = lineEndOf(text)
  const candidates: Candidate[] = []
  for (const delimiter of delimitersIn(text, stated)) {
    const tried = quotesIn(text, delimiter, stated).flatMap((quote) =>
      spacesFollow(text, delimiter, stated).flatMap((skips) =>
        withEscapes(text, layoutOf(delimiter, quote, skips, lineEnd), isCut, stated),
      ),
    )
    if (stated.quoteChar === undefined && tried.every(({ tokens }) => isOftenBroken(tokens))) {
      const layout = layoutOf(delimiter, null, stated.skipInitialSpace ?? false, lineEnd)
      tried.push(judge(tokenize(text, layout, isCut)))
    }
    const best = tried.sort((a, b) => b.score - a.score)[0]
    if (best !== undefined) candidates.push(best)
  }
  const [best, ...others] = candidates.sort((a, b) => b.score - a.score)
  if (best === undefined || (best.width === 1 && stated.delimiter === undefined)) {
    return [singleColumn(text, isCut, lineEnd, stated), ...others]
  }
  return [best, ...others]
}

/** One column needs a delimiter all the same: the first that does not occur outside quotes, so that every line is a value. */
function singleColumn(text: string, isCut: boolean, lineEnd: Layout['lineEnd'], stated: StatedDialect): Candidate {
  const quotes = stated.quoteChar === undefined ? ['"', null] : [stated.quoteChar]
  let last: Candidate | undefined
  for (const quote of quotes) {
    for (const delimiter of [',', ';', '\t', '|', '\u001f']) {
      const layout = layoutOf(delimiter, quote, stated.skipInitialSpace ?? false, lineEnd)
      last = judge(tokenize(text, { ...layout, escape: statedEscape(stated) ?? 'doubled' }, isCut))
      if (last.tokens.broken.size === 0 && last.tokens.fieldStarts.length === recordCount(last.tokens)) return last
    }
  }
  return last as Candidate
}

function layoutOf(
  delimiter: string,
  quote: string | null,
  skipInitialSpace: boolean,
  lineEnd: Layout['lineEnd'],
): Layout {
  const quoteCode = quote === null ? 'none' : quote.charCodeAt(0)
  return { delimiter: delimiter.charCodeAt(0), quote: quoteCode, escape: 'doubled', skipInitialSpace, lineEnd }
}

function statedEscape(stated: StatedDialect): Layout['escape'] | undefined {
  if (stated.escapeChar) return 'backslash'
  if (stated.doubleQuote === undefined) return undefined
  return stated.doubleQuote ? 'doubled' : 'nothing'
}

/** The layout with quotes doubled, and with other escapes where that leaves records broken. */
function withEscapes(text: string, layout: Layout, isCut: boolean, stated: StatedDialect): Candidate[] {
  const told = statedEscape(stated)
  if (told !== undefined) return [judge(tokenize(text, { ...layout, escape: told }, isCut))]
  const doubled = judge(tokenize(text, layout, isCut))
  if (doubled.tokens.broken.size < 2 || layout.quote === 'none') return [doubled]
  const others: Candidate[] = []
  if (text.includes(`\\${String.fromCharCode(layout.quote)}`)) {
    others.push(judge(tokenize(text, { ...layout, escape: 'backslash' }, isCut)))
  }
  others.push(judge(tokenize(text, { ...layout, escape: 'nothing' }, isCut)))
  const isBetter = (other: Candidate) => other.width > 1 && other.tokens.broken.size * 2 <= doubled.tokens.broken.size
  return [doubled, ...others.filter(isBetter)]
}

/** CR only where it ends more lines than LF does: a lone CR in an LF file is content. */
function lineEndOf(text: string): 'lf' | 'cr' {
  const lfs = countOf(text, '\n')
  return countOf(text, '\r') - countOf(text, '\r\n') > lfs ? 'cr' : 'lf'
}

/** Delimiters that stand on the lines of the text, one on every fourth of them at least. */
function delimitersIn(text: string, stated: StatedDialect): string[] {
  if (stated.delimiter !== undefined) return [stated.delimiter.charAt(0)]
  const wanted = (countOf(text, '\n') + countOf(text, '\r')) / 4
  const found = Object.keys(delimiterWeights).filter((delimiter) => {
    const count = countOf(text, delimiter)
    return count > 0 && count >= wanted
  })
  return found.includes(',') ? found : [',', ...found]
}

/** How often a character stands in a text, up to `end`. */
export function countOf(text: string, character: string, end = text.length): number {
  let count = 0
  for (let at = text.indexOf(character); at >= 0 && at < end; at = text.indexOf(character, at + 1)) count += 1
  return count
}

/** Quote characters worth trying: the double quote always, others where they open and close fields. */
function quotesIn(text: string, delimiter: string, stated: StatedDialect): (string | null)[] {
  if (stated.quoteChar !== undefined) return [stated.quoteChar]
  return opensAndCloses(text, "'", delimiter) ? ['"', "'"] : ['"']
}

/** One stray double quote is a broken record; several say that they do not quote here. */
function isOftenBroken(tokens: Tokens): boolean {
  return tokens.layout.quote === apostrophe || tokens.broken.size > 1 || tokens.broken.size === recordCount(tokens)
}

/** True when fields begin with the quote and fields end with it, twice each at least; blanks beside it do not count. */
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

/** Whether blanks after a delimiter are to be tried as arrangement: false, true or both. */
function spacesFollow(text: string, delimiter: string, stated: StatedDialect): boolean[] {
  if (stated.skipInitialSpace !== undefined) return [stated.skipInitialSpace]
  if (stated.delimiter === ', ') return [true]
  if (delimiter === ' ' || delimiter === '\t') return [false]
  let all = 0
  let spaced = 0
  for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) {
    all += 1
    if (text[at + 1] === ' ') spaced += 1
  }
  if (spaced > all * 0.95) return [true]
  return spaced * 2 > all ? [false, true] : [false]
}

/** Scores the text under one layout: the share of records of one width, times how clean their values look, times its width. */
function judge(tokens: Tokens): Candidate {
  const width = usualWidth(tokens)
  const uniform = uniformity(tokens, width)
  const clean = cleanness(tokens, width)
  const quoteWeight = tokens.layout.quote !== apostrophe ? 1 : tokens.text.includes('"') ? 0.9 : 0.98
  const columns = width === 1 ? 0.2 : ((width - 1) / width) * delimiterWeight(tokens)
  return { tokens, width, score: uniform * uniform * clean * columns * quoteWeight }
}

/** An unusual delimiter has to prove itself on several records. */
function delimiterWeight(tokens: Tokens): number {
  const weight = delimiterWeights[String.fromCharCode(tokens.layout.delimiter)] ?? 1
  const records = recordCount(tokens)
  return weight === 1 ? 1 : (weight * records) / (records + 2)
}

/** Fields of most unbroken records; of the first such width when several are as frequent. */
export function usualWidth(tokens: Tokens): number {
  const counts = new Map<number, number>()
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record) || tokens.broken.has(record)) continue
    if (isCommentLike(tokens, record) && widthOf(tokens, record) === 1) continue
    const width = widthOf(tokens, record)
    counts.set(width, (counts.get(width) ?? 0) + 1)
  }
  let usual = 1
  let most = 0
  for (const [width, count] of counts) {
    if (count > most) {
      usual = width
      most = count
    }
  }
  return usual
}

/** A record that begins with `#`, unless that is the delimiter. */
export function isCommentLike(tokens: Tokens, record: number): boolean {
  return tokens.text[tokens.recordStarts[record] ?? 0] === '#' && tokens.layout.delimiter !== 0x23
}

/**
 * Share of records that are whole and of the usual width. Records before the first such one may be titles: there being
 * any is held against the layout, how many there are hardly.
 */
function uniformity(tokens: Tokens, width: number): number {
  let fitting = 0
  let others = 0
  let hasTitles = false
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record)) continue
    if (fits(tokens, record, width)) fitting += 1
    else if (isCommentLike(tokens, record)) others += 0.1
    else if (fitting === 0) {
      others += 0.1
      hasTitles = true
    } else others += 1
  }
  return fitting === 0 ? 0 : (fitting / (fitting + others)) * (hasTitles ? 0.85 : 1)
}

/** Mean of how much the values look like values and not like pieces of them. */
function cleanness(tokens: Tokens, width: number): number {
  let sum = 0
  let count = 0
  const records = recordCount(tokens)
  const step = Math.max(1, Math.floor(records / recordsScoredMax))
  for (let record = 0; record < records && count < fieldsScoredMax; record += step) {
    if (isBlank(tokens, record) || !fits(tokens, record, width)) continue
    const first = tokens.firstFields[record] ?? 0
    for (let field = first; field < first + width && count < fieldsScoredMax; field += 1) {
      sum += fieldCleanness(tokens, field)
      count += 1
    }
  }
  return count === 0 ? 0 : sum / count
}

const plainWords = /^[\p{L}\p{M}\p{N} _.'’()&/+-]+$/u
/** Marks that a value seldom holds; comma, semicolon and bar do where they stand in prose, with a blank after them. */
const foreignMarks = /[;|](?! |$)|[\t"]/
const inApostrophes = /^ *'.*' *$/
const joinedByComma = /,(?! |$)/

function fieldCleanness(tokens: Tokens, field: number): number {
  const value = fieldValue(tokens, field)
  if (isQuoted(tokens, field)) return 1
  const kind = kindOf(value)
  if (kind === 'empty') return 0.5
  if (kind === 'null') return 0.9
  if (isMeasured(kind) || kind === 'address') return 1
  if (foreignMarks.test(value)) return 0.1
  if (joinedByComma.test(value) || inApostrophes.test(value)) return 0.3
  if (plainWords.test(value)) return 0.8
  return 0.5
}

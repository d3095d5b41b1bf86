// Plain quotes: reads a text without quoting if quotes are plain characters of its values. Knows one delimiter.
import { runawayQuotes, runawayRule, suspectValues } from './runaway-quotes.ts'
import { apostrophe, type Candidate, score } from './score-layout.ts'
import {
  fieldsOf,
  fits,
  hasInnerQuote,
  isQuoted,
  isWhole,
  type Layout,
  rawField,
  recordCount,
  type Tokens,
  tokenize,
} from './tokenize.ts'

/** At least this many quotes must be out of place: a single one is a slip. More if the text continues. */
const misplacedMin = 2
const misplacedMinOfCut = 3
/** A value that needs its quotes, in a record of full width, shows that they enclose, unless so many more do not. */
const misplacedPerNeeded = 10

/**
 * The reading in which quotes are plain characters, if it may be the right one; null if it is not worth trying.
 *
 * @param tried Readings with quotes.
 * @returns `isSure` if every line becomes a record of the same width, and quotes are out of place rather than around
 * values.
 */
export function plainReading(
  text: string,
  layout: Layout,
  isCut: boolean,
  tried: readonly Candidate[],
): { readonly candidate: Candidate; readonly isSure: boolean } | null {
  // Most texts have no quote out of place, so the quotes need not be examined.
  if (tried.some(({ tokens }) => tokens.broken.size === 0 && tokens.layout.quote !== apostrophe)) return null
  const isBroken = tried.every(({ tokens }) => isOftenBroken(tokens))
  if (tried.some(enclosesUnescaped)) return null
  const quotes = tried.filter(({ tokens }) => tokens.layout.escape !== 'nothing').map(countQuotes)
  if (quotes.some(({ misplaced, placed, needed }) => misplaced <= Math.max(placed, needed * misplacedPerNeeded))) {
    return null
  }
  const misplacedLeast = isCut ? misplacedMinOfCut : misplacedMin
  const isMisplaced = quotes.length > 0 && quotes.every(({ misplaced }) => misplaced >= misplacedLeast)
  if (!isBroken && !isMisplaced) return null
  const candidate = score(tokenize(text, layout, isCut))
  return {
    candidate,
    isSure: isMisplaced && candidate.width > 1 && isWhole(candidate.tokens, Infinity, candidate.width),
  }
}

/** One stray double quote is a broken record; several show that this file does not quote. */
function isOftenBroken(tokens: Tokens): boolean {
  return tokens.layout.quote === apostrophe || tokens.broken.size > 1 || tokens.broken.size === recordCount(tokens)
}

/** True if quotes that are not escaped enclose at least twice as many values with quotes as they break or swallow records. */
function enclosesUnescaped(candidate: Candidate): boolean {
  const { tokens, width } = candidate
  if (tokens.layout.escape !== 'nothing') return false
  return (tokens.broken.size + suspectValues(tokens, width)) * 2 <= countQuotes(candidate).needed
}

/**
 * Records that quotes break or let run away, and values that they enclose: one with a doubled quote counts twice. A value
 * on one line needs them for the quotes or delimiters in it.
 */
function countQuotes({ tokens, width }: Candidate) {
  const rule = runawayRule(tokens, width)
  const runaways = rule === null ? new Set<number>() : runawayQuotes(tokens, width, rule)
  const delimiter = String.fromCharCode(tokens.layout.delimiter)
  let placed = 0
  let needed = 0
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (tokens.broken.has(record)) continue
    for (const field of fieldsOf(tokens, record)) {
      if (!isQuoted(tokens, field) || runaways.has(tokens.fieldStarts[field] ?? 0)) continue
      const raw = rawField(tokens, field)
      const hasInner = hasInnerQuote(tokens, field)
      placed += hasInner ? 2 : 1
      if (fits(tokens, record, width) && (hasInner || raw.includes(delimiter)) && !/[\r\n]/.test(raw)) needed += 1
    }
  }
  return { misplaced: tokens.broken.size + runaways.size, placed, needed }
}

// Classify value: finds the class of a text by its form alone, as facts count it. Knows no columns and writes nothing.
// The classes are defined in src/core/column-facts.ts; the class found here is also valid when the value is read.
import {
  COMMA, DECIMAL, DECIMAL_COMMA, GROUP_COMMA, GROUP_COUNT, GROUP_NONE, GROUP_POINT, INTEGER, LONG_DECIMAL,
  LONG_DECIMAL_COMMA, LONG_INTEGER, NO_CLASS, NUMBER, NUMBER_COMMA, PADDED, POINT, SIGNED, TEXT, THOUSAND_COMMA,
  THOUSAND_POINT, TOO_LONG, WHOLE, WORD, groupedClass,
} from '../values/value-classes'
import { textEnd, textStart, trimBlanks } from '../fields/field-text'
import { classOfDateForm } from '../values/other-dates'
import { isDigit } from '../values/digits'
import {
  fractionCount, hasExponent, hasPoint, isKeptAsScanned, isMinusZero, isNumberShape, isPadded, isPointLast, isThousand,
  numberEnd, scanNumber, wholeCount,
} from '../values/doubles'
import { readInteger } from '../values/integers'
import { BLOCK, PLAIN_NUMBER } from '../memory'
import { readDate, readTime, readTimestamp, readTimestampWithZone } from '../values/iso-dates'
import { bytesAt, groupCount, groupText, plainEnd, toPlainNumber } from '../values/other-numbers'
import { NO_WORD, booleanOf, wordOf } from '../values/special-words'

/** The numbers of digits before and after the decimal character, for classes with a fraction. */
export let classWhole: u32 = 0
export let classScale: u32 = 0
/** The word, if the class is WORD. */
export let classWord: u32 = 0

/**
 * The class of a text without the blanks around it, which is then from `textStart` to `textEnd`. Loads may reach 16 bytes
 * past the end of the text.
 */
export function classOf(start: usize, end: usize): u32 {
  trimBlanks(start, end)
  start = textStart
  end = textEnd
  // A number, date or time begins with a byte from + to 9; most texts do not.
  if (start == end || (load<u8>(start) as u32) - 43 > 14) return classOfLetters(start, end)
  const valueClass = classOfDigits(start, end)
  if (valueClass != NO_CLASS) return valueClass
  return classOfLetters(start, end)
}

function classOfLetters(start: usize, end: usize): u32 {
  const bytes = end - start
  if (bytes > 5) return TEXT
  const spelling = booleanOf(start, bytes)
  if (spelling != NO_CLASS) return spelling
  classWord = wordOf(start, bytes)
  return classWord == NO_WORD ? TEXT : WORD
}

function classOfDigits(start: usize, end: usize): u32 {
  scanNumber(start, end)
  if (numberEnd == end) return classOfScanned(start, end)
  if (load<u8>(start) == 43) return classOfSigned(start, end)
  const bytes = end - start
  // The values go to scratch memory: only whether they can be read matters.
  if (bytes >= 10 && load<u8>(start, 4) == 45 && load<u8>(start, 7) == 45) {
    let moment = readDate(start, end, BLOCK)
    if (moment == NO_CLASS) moment = readTimestamp(start, end, BLOCK)
    return moment == NO_CLASS ? readTimestampWithZone(start, end, BLOCK) : moment
  }
  if (bytes >= 5 && load<u8>(start, 2) == 58) return readTime(start, end, BLOCK)
  const dateClass = classOfDateForm(start, end)
  if (dateClass != NO_CLASS) return dateClass
  const grouped = classOfGroups(start, end)
  return grouped == NO_CLASS ? classOfComma(start, end) : grouped
}

/** The class of a number that was scanned from the first byte to the last. */
function classOfScanned(start: usize, end: usize): u32 {
  classWhole = wholeCount as u32
  classScale = fractionCount as u32
  if (hasExponent) {
    if (!isNumberShape(end)) return NO_CLASS
    return isKeptAsScanned(start, end) ? NUMBER : wholeCount > 0 ? TOO_LONG : NO_CLASS
  }
  if (wholeCount == 0) return fractionCount > 0 && isKeptAsScanned(start, end) ? NUMBER : NO_CLASS
  if (isPadded) return PADDED
  if (hasPoint) return classOfFraction(start, end)
  const whole = readInteger(start, end, BLOCK)
  if (whole != NO_CLASS) return whole
  return isKeptAsScanned(start, end) ? NUMBER : TOO_LONG
}

function classOfFraction(start: usize, end: usize): u32 {
  const isDecimal = wholeCount + fractionCount <= 38 && !isMinusZero() && !isPointLast()
  if (!isDecimal) return isKeptAsScanned(start, end) ? NUMBER : TOO_LONG
  if (isThousand()) return THOUSAND_POINT
  return isKeptAsScanned(start, end) ? DECIMAL : LONG_DECIMAL
}

function classOfSigned(start: usize, end: usize): u32 {
  if (load<u8>(start, 1) == 45) return NO_CLASS
  scanNumber(start + 1, end)
  let to = end
  if (numberEnd != end && toPlainNumber(start + 1, end, 44, GROUP_NONE)) {
    to = plainEnd
    scanNumber(PLAIN_NUMBER, to)
    if (isPointLast()) return NO_CLASS
  }
  if (numberEnd != to || hasExponent || wholeCount == 0) return NO_CLASS
  if (isPadded) return PADDED
  return isPointLast() ? NO_CLASS : SIGNED
}

/** The class of a number in groups. A point or comma surely separates groups only if there are two, or a fraction. */
function classOfGroups(start: usize, end: usize): u32 {
  let at = start + ((load<u8>(start) == 45) as usize)
  while (at < end && isDigit(load<u8>(at))) at++
  if (at == end) return NO_CLASS
  let group: u32 = 0
  while (group < GROUP_COUNT && bytesAt(groupText(group), at, end) == 0) group++
  if (group == GROUP_COUNT) return NO_CLASS
  const isPlain = group > GROUP_POINT
  let decimal = WHOLE
  if (toPlainNumber(start, end, group == GROUP_POINT ? 44 : 46, group)) {
    decimal = group == GROUP_POINT ? COMMA : POINT
  } else if (isPlain && toPlainNumber(start, end, 44, group)) {
    decimal = COMMA
  } else return NO_CLASS
  if (groupCount == 0) return NO_CLASS
  scanNumber(PLAIN_NUMBER, plainEnd)
  if (numberEnd != plainEnd || hasExponent || isPointLast()) return NO_CLASS
  if (!hasPoint) {
    if (!isPlain && groupCount == 1) return NO_CLASS
    const whole = readInteger(PLAIN_NUMBER, plainEnd, BLOCK)
    if (whole == NO_CLASS) return TOO_LONG
    return groupedClass(group, WHOLE, whole == LONG_INTEGER)
  }
  if (wholeCount + fractionCount > 38) return TOO_LONG
  classWhole = wholeCount as u32
  classScale = fractionCount as u32
  return groupedClass(group, decimal, !isKeptAsScanned(PLAIN_NUMBER, plainEnd))
}

/** The class of a number with a decimal comma. */
function classOfComma(start: usize, end: usize): u32 {
  if (!toPlainNumber(start, end, 44, GROUP_NONE)) return NO_CLASS
  scanNumber(PLAIN_NUMBER, plainEnd)
  // A comma at the end is not a decimal comma.
  if (numberEnd != plainEnd || isPointLast()) return NO_CLASS
  const plain = classOfScanned(PLAIN_NUMBER, plainEnd)
  if (plain == DECIMAL) return DECIMAL_COMMA
  if (plain == THOUSAND_POINT) return THOUSAND_COMMA
  if (plain == LONG_DECIMAL) return LONG_DECIMAL_COMMA
  if (plain == NUMBER) return NUMBER_COMMA
  return plain == PADDED || plain == TOO_LONG ? plain : NO_CLASS
}

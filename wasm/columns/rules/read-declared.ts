// Read declared: texts of declared columns as values, in all the forms that a declaration allows. Knows no columns.
import { NO_CLASS } from '../values/value-classes'
import { classOf } from '../facts/classify-value'
import { DECIMALS, LONG_DECIMALS, TIMES, TIMESTAMPS, readValue } from '../column-kinds'
import { PLAIN_NUMBER, SCRATCH_BYTES } from '../memory'
import { readDecimal, readLongDecimal, scale } from '../values/decimals'
import { countDigits, isDigit } from '../values/digits'
import { double, isKeptAsScanned, scanNumber } from '../values/doubles'
import { readInteger } from '../values/integers'
import { readTimestampWithZone } from '../values/iso-dates'
import { bytesAt } from '../values/other-numbers'
import { RANGE, TYPE, isChecking } from './marks'
import { isMomentShape, readMoment } from './moment-format'
import {
  ANY_NUMBER, ISO, PATTERNED, TRUE_OR_FALSE, WHOLE_NUMBER, YEAR, decimalChar, form, groupChar, isNearest, reader,
} from './rules'
import { positionOf } from './words'

/** Provided by the host: the double next to a number, infinite if it is beyond all. */
@external("host", "nearestDouble")
declare function hostNearestDouble(start: usize, bytes: usize): f64

/** The rule that the last text breaks: TYPE, or RANGE if only its size is wrong. */
export let broken: u32 = TYPE

/** Stores the value of a text that is not missing at `out`; false if it is not of the declared type. */
export function readDeclared(kind: u32, start: usize, end: usize, out: usize): bool {
  broken = TYPE
  switch (form) {
    case WHOLE_NUMBER:
    case YEAR:
      return readWhole(start, end, out)
    case ANY_NUMBER:
      return readNumber(kind, start, end, out)
    case TRUE_OR_FALSE: {
      const position = positionOf(reader, start, end - start) as usize
      if (position == 0) return false
      // A byte for each word follows the table.
      store<u8>(out, load<u8>(reader + 7 + ((load<u32>(reader) as usize) << 3) + position))
      return true
    }
    case ISO:
      return readIso(kind, start, end, out)
    case PATTERNED: {
      if (readMoment(reader, start, end, out)) return true
      if (isMomentShape) broken = RANGE
      return false
    }
    default:
      return false
  }
}

/** Times must have seconds. A type that depends on the values may have timestamps with an offset beside others. */
function readIso(kind: u32, start: usize, end: usize, out: usize): bool {
  if (start == end || (kind == TIMES && end - start < 8)) return false
  if (readValue(kind, start, end, out) != NO_CLASS) return true
  return isChecking && kind == TIMESTAMPS && readTimestampWithZone(start, end, out) != NO_CLASS
}

// The number that `toPlain` has read.
let plainStart: usize = 0
let plainEnd: usize = 0
let isZero: bool = false

function readWhole(start: usize, end: usize, out: usize): bool {
  if (form == YEAR) {
    const first = start + ((load<u8>(start) == 45) as usize)
    if (end < first + 4 || end > first + 9 || countDigits(first, end) != end - first) return false
  }
  if (!toPlain(start, end, NO_PLACES)) return false
  broken = RANGE
  return readInteger(plainStart, plainEnd, out) != NO_CLASS
}

function readNumber(kind: u32, start: usize, end: usize, out: usize): bool {
  const isDecimal = kind == DECIMALS || kind == LONG_DECIMALS
  if (!toPlain(start, end, isDecimal ? scale : ANY_PLACES)) return false
  broken = RANGE
  if (kind == DECIMALS) return readDecimal(plainStart, plainEnd, out) != NO_CLASS
  if (kind == LONG_DECIMALS) return readLongDecimal(plainStart, plainEnd, out) != NO_CLASS
  scanNumber(plainStart, plainEnd)
  if (isKeptAsScanned(plainStart, plainEnd)) {
    store<f64>(out, double)
    return true
  }
  if (isChecking) {
    // Whatever the type, so that each pass accepts the same: numbers of classes that show how long they are.
    if (load<u8>(reader + classOf(start, end)) == 0) return false
    toPlain(start, end, ANY_PLACES)
  } else if (!isNearest) return false
  const nearest = hostNearestDouble(plainStart, plainEnd - plainStart)
  store<f64>(out, nearest + 0.0)
  return abs(nearest) < Infinity
}

const ANY_PLACES: u32 = 0xffff
/** A whole number without a decimal character and an exponent. */
const NO_PLACES: u32 = 0xfffe

/** Where `toPlain` writes. */
let plainOut: usize = 0

/** Appends the digits at `at`; returns how many there are. `broken` is RANGE if there is no room for them. */
function addDigits(at: usize, end: usize): usize {
  const count = countDigits(at, end)
  if (plainOut + count > PLAIN_NUMBER + SCRATCH_BYTES - 64) broken = RANGE
  else {
    memory.copy(plainOut, at, count)
    plainOut += count
  }
  return count
}

/**
 * Writes a number without groups, signs and zeros that change nothing, with a point, and `places` decimal places; zero
 * without a sign. False if it is not written so, or has other digits beyond those places.
 */
function toPlain(start: usize, end: usize, places: u32): bool {
  let at = start
  const sign = at < end ? (load<u8>(at) as u32) : 0
  if (sign == 43 || sign == 45) at++
  plainOut = PLAIN_NUMBER + 1
  const wholeAt = plainOut
  let wholeDigits = skipZeros(at, end)
  at += wholeDigits
  for (;;) {
    const count = addDigits(at, end)
    wholeDigits += count
    at += count
    const group = wholeDigits > 0 ? bytesAt(groupChar, at, end) : 0
    if (group == 0) break
    at += group
    if (at >= end || !isDigit(load<u8>(at))) return false
    if (plainOut == wholeAt) at += skipZeros(at, end)
  }
  isZero = plainOut == wholeAt
  if (isZero) store<u8>(plainOut++, 48)
  if (places == NO_PLACES) {
    if (wholeDigits == 0 || at != end) return false
  } else if (!addFraction(at, end, wholeDigits, places)) return false
  plainEnd = plainOut
  plainStart = isZero || sign != 45 ? PLAIN_NUMBER + 1 : PLAIN_NUMBER
  store<u8>(PLAIN_NUMBER, 45)
  return broken == TYPE
}

function skipZeros(at: usize, end: usize): usize {
  const start = at
  while (at < end && load<u8>(at) == 48) at++
  return at - start
}

/** Appends what follows the whole digits. */
function addFraction(start: usize, end: usize, wholeDigits: usize, places: u32): bool {
  let at = start
  const point = bytesAt(decimalChar, at, end)
  const pointAt = plainOut
  let digits: usize = 0
  if (point > 0) {
    at += point
    store<u8>(plainOut++, 46)
    digits = addDigits(at, end)
    at += digits
    if (isZero) isZero = skipZeros(pointAt + 1, plainOut) == plainOut - pointAt - 1
  }
  if (wholeDigits + digits == 0) return false
  if (places != ANY_PLACES) return at == end && setPlaces(pointAt, places)
  if (digits == 0) plainOut = pointAt
  if (at == end) return true
  if (((load<u8>(at) as u32) | 32) != 101) return false
  store<u8>(plainOut++, 101)
  at++
  if (at < end && (load<u8>(at) == 43 || load<u8>(at) == 45)) store<u8>(plainOut++, load<u8>(at++))
  return addDigits(at, end) > 0 && at + countDigits(at, end) == end
}

/** Appends zeros or removes them until the fraction has as many digits. */
function setPlaces(pointAt: usize, places: u32): bool {
  if (plainOut == pointAt) store<u8>(plainOut++, 46)
  const wanted = pointAt + 1 + (places as usize)
  while (plainOut > wanted && load<u8>(plainOut - 1) == 48) plainOut--
  if (plainOut > wanted) return false
  while (plainOut < wanted) store<u8>(plainOut++, 48)
  return true
}

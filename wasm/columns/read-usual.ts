// Read usual: the fast path for fields like most of their column: plain values that add no new facts. Stops at the
// first other field. Takes one to two thirds of the time of the general path.
import { DOT, EITHER, NO_CLASS, SLASH, dateFormClass } from './values/value-classes'
import {
  BOOLEANS, DATES_IN_FORM, DECIMALS, INTEGERS, NUMBERS, TIMESTAMPS_IN_FORM, decimal, decimalClass, order, separator,
} from './column-kinds'
import { areFractionsKnown, isZeroWholeKnown, knownZerosMax, zerosMin } from './facts/number-texts'
import { addCount, isKnown, scaleMax, scaleMin, wholeMax } from './facts/facts'
import { endAt, startAt } from './fields/field-text'
import { POWERS } from './memory'
import { readGrouped } from './read-grouped'
import { scale } from './values/decimals'
import { readUsualTimestamp } from './values/iso-dates'
import { isEither, readWholeDate } from './values/other-dates'
import { spellingOf } from './values/special-words'
import {
  areDigits, digitsBefore, lastLanes, numberOf, onlyDigits,
} from './values/wide-digits'

/**
 * Reads at most `count` fields, the first of which is that of `record` and ends at `place`, and writes their values to
 * `out`. With `trims`, a CR may end a field. The facts must already have three values of the usual class of the kind:
 * integers of at most 15 digits, decimals and numbers of `decimalClass`, booleans of `valueClass`, timestamps, dates in
 * the order that was set. Numbers in groups have NO_CLASS: their facts are added here.
 *
 * @returns How many fields were read. All are of that class, or counted as if, and need only be counted.
 */
export function readUsual(
  kind: u32, valueClass: u32, place: usize, step: usize, record: u32, count: u32, trims: bool, out: usize,
): u32 {
  if (valueClass == NO_CLASS) return readGrouped(kind, place, step, record, count, trims, out)
  if (kind == INTEGERS) return readIntegers(place, step, count, trims, out)
  if (kind == DECIMALS) return readDecimals(place, step, count, trims, out)
  if (kind == NUMBERS) return readNumbers(place, step, count, trims, out)
  if (kind == BOOLEANS) return readBooleans(valueClass, place, step, count, trims, out)
  if (kind >= DATES_IN_FORM) return readDates(kind, place, step, count, trims, out)
  return readTimestamps(place, step, count, trims, out)
}

function readIntegers(place: usize, step: usize, count: u32, trims: bool, out: usize): u32 {
  for (let done: u32 = 0; done < count; done++, place += step, out += 8) {
    const start = startAt(place)
    const isNegative = load<u8>(start) == 45
    const from = start + (isNegative as usize)
    const digits = endAt(place, trims) - from
    // Without digits, `digits - 1` wraps around to a huge number.
    if (digits - 1 >= 15 || (load<u8>(from) == 48 && (digits > 1 || isNegative))) return done
    const lanes = lastLanes(digitsBefore(from + digits), digits)
    if (!areDigits(lanes)) return done
    const number = numberOf(lanes) as i64
    store<i64>(out, isNegative ? 0 - number : number)
  }
  return count
}

function readDecimals(place: usize, step: usize, count: u32, trims: bool, out: usize): u32 {
  const places = scale as usize
  const point = decimal as u8
  const wholeLimit = wholeMax(decimalClass) as usize
  const isZeroKnown = isZeroWholeKnown()
  const arePaddedKnown = zerosMin <= scale && scale <= knownZerosMax()
  // With three places, the point might separate groups.
  if (places == 3 || places > 8 || !areFractionsKnown(scale)) return 0
  for (let done: u32 = 0; done < count; done++, place += step, out += 8) {
    const start = startAt(place)
    const end = endAt(place, trims)
    const isNegative = load<u8>(start) == 45
    const from = start + (isNegative as usize)
    const pointAt = end - places - 1
    const whole = pointAt - from
    if (whole - 1 >= wholeLimit || end - start > 15 || load<u8>(pointAt) != point) return done
    if (load<u8>(from) == 48 && (whole > 1 || !isZeroKnown)) return done
    if (!arePaddedKnown && load<u8>(end - 1) == 48) return done
    const lanes = lastLanes(onlyDigits(digitsBefore(end), places + 1, 0), whole + places)
    if (!areDigits(lanes)) return done
    const number = numberOf(lanes) as i64
    if (isNegative && number == 0) return done
    store<i64>(out, isNegative ? 0 - number : number)
  }
  return count
}

/** Reads numbers of at most 15 digits, which a double keeps: only the division rounds, since all else is below 2^53. */
function readNumbers(place: usize, step: usize, count: u32, trims: bool, out: usize): u32 {
  const point = i8x16.splat((decimal - 48) as i8)
  const wholeLimit = wholeMax(decimalClass) as usize
  const least = scaleMin(decimalClass) as usize
  const span = (scaleMax(decimalClass) as usize) - least
  const isZeroKnown = isZeroWholeKnown()
  const zerosMost = knownZerosMax() as usize
  // If they are not known, no number of places is that of any.
  const zerosLeast: usize = zerosMost < (zerosMin as usize) ? 99 : (zerosMin as usize)
  const zerosSpan: usize = zerosLeast == 99 ? 0 : zerosMost - zerosLeast
  if (!areFractionsKnown(least as u32)) return 0
  for (let done: u32 = 0; done < count; done++, place += step, out += 8) {
    const start = startAt(place)
    const end = endAt(place, trims)
    const isNegative = load<u8>(start) == 45
    const from = start + (isNegative as usize)
    const bytes = end - from
    if (bytes - 1 >= 16) return done
    const text = digitsBefore(end)
    // Without a point in 16 bytes, the fraction counts as 16 digits, and none is before it.
    const fraction = clz((i8x16.bitmask(i8x16.eq(text, point)) << 16) | 0x8000) as usize
    const whole = bytes - fraction - 1
    if (whole - 1 >= wholeLimit || fraction - least > span) return done
    // -0.00 is no usual number: it is stored as 0, and facts tell of it.
    if (load<u8>(end - 1) == 48 && (isNegative || fraction - zerosLeast > zerosSpan)) return done
    const first = load<u8>(from)
    if (first == 48 ? whole > 1 || !isZeroKnown : fraction == 3 && whole <= 3) return done
    const lanes = lastLanes(onlyDigits(text, fraction + 1, 0), bytes - 1)
    if (!areDigits(lanes)) return done
    const number = ((numberOf(lanes) as i64) as f64) / load<f64>(POWERS + (fraction << 3))
    store<f64>(out, isNegative ? -number : number)
  }
  return count
}

/** Reads booleans of one spelling, one byte each. Does not branch on the value, because it cannot be predicted. */
function readBooleans(spellings: u32, place: usize, step: usize, count: u32, trims: bool, out: usize): u32 {
  const yes = spellingOf(spellings, true)
  const no = spellingOf(spellings, false)
  for (let done: u32 = 0; done < count; done++, place += step, out++) {
    const start = startAt(place)
    const bytes = endAt(place, trims) - start
    if (bytes - 4 > 1) return done
    const text = load<u64>(start) << (64 - ((bytes as u64) << 3))
    const isYes = text == yes
    if (!((isYes as u32) | ((text == no) as u32))) return done
    store<u8>(out, isYes as u8)
  }
  return count
}

function readTimestamps(place: usize, step: usize, count: u32, trims: bool, out: usize): u32 {
  for (let done: u32 = 0; done < count; done++, place += step, out += 8) {
    const start = startAt(place)
    if (endAt(place, trims) - start != 19 || !readUsualTimestamp(start, out)) return done
  }
  return count
}

/** Reads dates or timestamps with the day or the month first. */
function readDates(kind: u32, place: usize, step: usize, count: u32, trims: bool, out: usize): u32 {
  const hasTime = kind == TIMESTAMPS_IN_FORM
  const either = dateFormClass(hasTime, separator, EITHER)
  if (!isKnown(either)) return 0
  const mark: u32 = separator == SLASH ? 47 : separator == DOT ? 46 : 45
  let eitherCount: u32 = 0
  let done: u32 = 0
  for (; done < count; done++, place += step, out += 8) {
    const start = startAt(place)
    if (!readWholeDate(start, endAt(place, trims) - start, order, mark, hasTime, out)) break
    eitherCount += isEither as u32
  }
  // The caller counts all as of the usual class.
  addCount(either, eitherCount)
  addCount(dateFormClass(hasTime, separator, order), 0 - eitherCount)
  return done
}

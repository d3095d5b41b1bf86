// Number texts: the ways in which a column writes its numbers, if two texts might mean one number. Knows no classes.
// Stored as u32: scales, and the records, from 1, in which they were first seen; see src/columns/writer/facts-tally.ts.
import { NUMBER_TEXTS } from '../memory'
import { fractionCount, hasExponent, isMinusZero, isPointLast, wholeAt, wholeCount } from '../values/doubles'

const NONE: u32 = 0xffffffff

// Least and most decimal places of numbers whose fraction is all zeros, such as 2.0.
export let zerosMin: u32 = NONE
let zerosMinRecord: u32 = 0
let zerosMax: u32 = 0
let zerosMaxRecord: u32 = 0
// Fewest places of other fractions, and most places of those that end with a zero, such as 1.50.
let scaleMin: u32 = NONE
let scaleMinRecord: u32 = 0
let paddedMax: u32 = 0
let paddedMaxRecord: u32 = 0
// First records with 0.5, with .5, with 5., with -0, with an exponent as programs print it (1e-07), with another exponent, and
// with another exponent but not exactly one digit from 1 to 9 before the point.
let zeroWhole: u32 = 0
let noWhole: u32 = 0
let noFraction: u32 = 0
let minusZero: u32 = 0
let shortest: u32 = 0
let exponent: u32 = 0
let notNormal: u32 = 0

export function clearNumberTexts(): void {
  zerosMin = NONE
  scaleMin = NONE
  zerosMax = 0
  paddedMax = 0
  zerosMinRecord = 0
  zerosMaxRecord = 0
  scaleMinRecord = 0
  paddedMaxRecord = 0
  zeroWhole = 0
  noWhole = 0
  noFraction = 0
  minusZero = 0
  shortest = 0
  exponent = 0
  notNormal = 0
}

export function storeNumberTexts(): void {
  store<u32>(NUMBER_TEXTS, zerosMin)
  store<u32>(NUMBER_TEXTS, zerosMinRecord, 4)
  store<u32>(NUMBER_TEXTS, zerosMax, 8)
  store<u32>(NUMBER_TEXTS, zerosMaxRecord, 12)
  store<u32>(NUMBER_TEXTS, scaleMin, 16)
  store<u32>(NUMBER_TEXTS, scaleMinRecord, 20)
  store<u32>(NUMBER_TEXTS, paddedMax, 24)
  store<u32>(NUMBER_TEXTS, paddedMaxRecord, 28)
  store<u32>(NUMBER_TEXTS, zeroWhole, 32)
  store<u32>(NUMBER_TEXTS, noWhole, 36)
  store<u32>(NUMBER_TEXTS, minusZero, 40)
  store<u32>(NUMBER_TEXTS, shortest, 44)
  store<u32>(NUMBER_TEXTS, exponent, 48)
  store<u32>(NUMBER_TEXTS, notNormal, 52)
  store<u32>(NUMBER_TEXTS, noFraction, 56)
}

/** Whether fractions of `scale` or more places that do not end with a zero add nothing new. */
@inline
export function areFractionsKnown(scale: u32): bool {
  return scaleMin <= scale
}

/** Fractions that end with a zero, or are all zeros, add nothing new if they have from `zerosMin` to so many places. */
@inline
export function knownZerosMax(): u32 {
  return min(paddedMax, zerosMax)
}

/** Whether a single zero before the fraction adds nothing new. */
@inline
export function isZeroWholeKnown(): bool {
  return zeroWhole != 0
}

/** Adds a number from `start` to `end` with `whole` digits before a fraction of `scale` digits. */
@inline
export function addFraction(start: usize, end: usize, whole: u32, scale: u32, record: u32): void {
  if (load<u8>(end - 1) == 48) addTrailingZero(end, scale, record)
  else if (scale < scaleMin) addScale(scale, record)
  if (whole == 1 && zeroWhole == 0) addWhole(start, record)
}

function addScale(scale: u32, record: u32): void {
  if (scale >= scaleMin) return
  scaleMin = scale
  scaleMinRecord = record
}

function addWhole(start: usize, record: u32): void {
  if (load<u8>(start + ((load<u8>(start) == 45) as usize)) == 48) zeroWhole = record
}

function addTrailingZero(end: usize, scale: u32, record: u32): void {
  let at = end - 1
  const first = end - scale
  while (at >= first && load<u8>(at) == 48) at--
  if (at < first) {
    addZeros(scale, record)
    return
  }
  addScale(scale, record)
  if (scale <= paddedMax) return
  paddedMax = scale
  paddedMaxRecord = record
}

function addZeros(scale: u32, record: u32): void {
  if (scale < zerosMin) {
    zerosMin = scale
    zerosMinRecord = record
  }
  if (scale > zerosMax || zerosMaxRecord == 0) {
    zerosMax = scale
    zerosMaxRecord = record
  }
}

/** Adds the last scanned number, which has an exponent, has no digits on one side of its point, or is minus zero. */
export function addOther(end: usize, record: u32): void {
  if (hasExponent) {
    addExponent(end, record)
    return
  }
  if (minusZero == 0 && isMinusZero()) minusZero = record
  if (noFraction == 0 && isPointLast()) noFraction = record
  if (wholeCount > 0 || fractionCount == 0) return
  if (noWhole == 0) noWhole = record
  const fractionEnd = wholeAt + 1 + fractionCount
  addFraction(wholeAt, fractionEnd, 0, fractionCount as u32, record)
}

function addExponent(end: usize, record: u32): void {
  if (isShortest(end)) {
    if (shortest == 0) shortest = record
    return
  }
  if (exponent == 0) exponent = record
  if (wholeCount != 1 || load<u8>(wholeAt) == 48 || isPointLast()) {
    if (notNormal == 0) notNormal = record
  } else if (fractionCount == 0) addZeros(0, record)
  else addFraction(wholeAt, wholeAt + 2 + fractionCount, 1, fractionCount as u32, record)
}

/**
 * Whether the number is as programs print those too long without an exponent: `1.5e-07`, `1e+16`. No other text is then
 * that number.
 */
function isShortest(end: usize): bool {
  if (wholeCount != 1 || load<u8>(wholeAt) == 48 || isPointLast()) return false
  if (fractionCount > 0 && load<u8>(wholeAt + 1 + fractionCount) == 48) return false
  let at = end - 1
  let power: u32 = 0
  let ten: u32 = 1
  while (load<u8>(at) - 48 < 10 && ten <= 10000) {
    power += ((load<u8>(at) as u32) - 48) * ten
    ten *= 10
    at--
  }
  return load<u8>(at) == 45 ? power > 4 : power > 15
}

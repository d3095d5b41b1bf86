// Check values: marks records whose values, read while rules are checked, break a bound or are not among those listed.
// Knows no texts but those of numbers that a double does not tell apart.
import { hasReturn, placeOf } from '../read-column'
import { width } from '../fields/dialect'
import { findText, textEnd, textStart, trimBlanks } from '../fields/field-text'
import { BLOCK, levels, values } from '../memory'
import { isMarked, markRecord } from './marks'
import { positionOf } from './words'

/** Provided by the host: how a number compares with the bounds of a rule, -1, 0 or 1; 1 if it is listed, or 0. */
@external("host", "compareNumber")
declare function hostCompareNumber(rule: u32, start: usize, bytes: usize): i32

// The bounds.
const MINIMUM: u32 = 0
const MAXIMUM: u32 = 1
const EXCLUSIVE_MINIMUM: u32 = 2

/** `order` is negative for what is below the limit, positive for what is above it. */
@inline
export function keepsBound(bound: u32, order: i32): bool {
  if (bound == MINIMUM) return order >= 0
  if (bound == MAXIMUM) return order <= 0
  return bound == EXCLUSIVE_MINIMUM ? order > 0 : order < 0
}

@inline
function hasValue(record: u32): bool {
  return ((load<u8>(levels + (record >> 3)) as u32) >> (record & 7)) & 1 ? !isMarked(record) : false
}

export function checkBound(records: u32, bound: u32, limit: i64, rule: u32): void {
  for (let record: u32 = 0; record < records; record++) {
    const value = load<i64>(values + ((record as usize) << 3))
    if (!keepsBound(bound, ((value > limit) as i32) - ((value < limit) as i32)) && hasValue(record)) markRecord(record, rule)
  }
}

/** The host decides where a number, or the limit, has more digits than a double tells apart. */
export function checkNumberBound(column: u32, records: u32, bound: u32, limit: f64, isLong: bool, rule: u32): void {
  for (let record: u32 = 0; record < records; record++) {
    const value = load<f64>(values + ((record as usize) << 3))
    let order = ((value > limit) as i32) - ((value < limit) as i32)
    if (order == 0 && hasValue(record) && (isLong || isLongText(column, record))) {
      findNumber(column, record)
      order = hostCompareNumber(rule, textStart, textEnd - textStart)
    }
    if (!keepsBound(bound, order) && hasValue(record)) markRecord(record, rule)
  }
}

/** `listed` is a table of values of eight bytes; those of one byte are extended. */
export function checkListed(column: u32, records: u32, valueBytes: u32, listed: usize, areNumbers: bool, isLong: bool, rule: u32): void {
  for (let record: u32 = 0; record < records; record++) {
    if (!hasValue(record)) continue
    const at = values + (record as usize) * (valueBytes as usize)
    store<u64>(BLOCK, valueBytes == 8 ? load<u64>(at) : (load<u8>(at) as u64))
    let isListed = positionOf(listed, BLOCK, 8) != 0
    if (isListed && areNumbers && (isLong || isLongText(column, record))) {
      findNumber(column, record)
      isListed = hostCompareNumber(rule, textStart, textEnd - textStart) == 1
    }
    if (!isListed) markRecord(record, rule)
  }
}

/** Whether a number may have more than 15 digits: its delimiter counts. */
function isLongText(column: u32, record: u32): bool {
  const place = placeOf(column) + (((record * width) as usize) << 2)
  return load<u32>(place) - load<u32>(place - 4) > 16
}

function findNumber(column: u32, record: u32): void {
  findText(placeOf(column) + (((record * width) as usize) << 2), hasReturn(column))
  trimBlanks(textStart, textEnd)
}

// Marks: for each record of a row group the first rule that it breaks, and the removal of marked records from the window.
import { width } from '../fields/dialect'
import { marks, places } from '../memory'

/** Numbers of the rules, as `ruleCode` in src/core/declared-values.ts. */
export const REQUIRED: u32 = 0
export const TYPE: u32 = 1
export const RANGE: u32 = 2

/** Records that are marked. */
export let marked: u32 = 0
/** Rules are being checked: what breaks them is marked, and each record has its own place among the values. */
export let isChecking: bool = false
/** The mark for rule 0 of the column. */
let columnMark: u32 = 0

export function clearMarks(records: u32): void {
  memory.fill(marks, 0, (records as usize) << 2)
  marked = 0
}

/** @param mark For rule 0 of a column; 0 at the end of the checks. */
export function checkFor(mark: u32): void {
  columnMark = mark
  isChecking = mark != 0
}

@inline
export function isMarked(record: u32): bool {
  return load<u32>(marks + ((record as usize) << 2)) != 0
}

/** The first mark of a record stays. */
export function markRecord(record: u32, rule: u32): void {
  const at = marks + ((record as usize) << 2)
  if (load<u32>(at) != 0) return
  store<u32>(at, columnMark + rule)
  marked++
}

/** Closes the gaps of the marked ones among the records found: bytes and places of the others move to the front. */
export function dropMarked(records: u32): void {
  const step = (width as usize) << 2
  let place = places
  let out = places
  let removed: u32 = 0
  let start = load<u32>(places) + 1
  /** Where the records begin that are to be moved together. */
  let runStart = start
  for (let record: u32 = 0; record < records; record++, place += step) {
    const end = load<u32>(place + step) + 1
    if (isMarked(record)) {
      moveBytes(runStart, start, removed)
      removed += end - start
      runStart = end
    } else {
      if (removed > 0) for (let i: usize = 4; i <= step; i += 4) store<u32>(out + i, load<u32>(place + i) - removed)
      out += step
    }
    start = end
  }
  moveBytes(runStart, start, removed)
}

function moveBytes(from: u32, end: u32, distance: u32): void {
  if (distance > 0) memory.copy(from - distance, from, end - from)
}

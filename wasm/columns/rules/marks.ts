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

/** Closes the gaps of the marked ones among the records found, towards the end. Returns where the first one begins. */
export function dropMarked(records: u32): usize {
  const step = (width as usize) << 2
  let to = (load<u32>(places + (records as usize) * step) as usize) + 1
  let keptEnd = records
  for (let record = records; record > 0; ) {
    record--
    if (record > 0 && !isMarked(record)) continue
    const from = isMarked(record) ? record + 1 : record
    const start = (load<u32>(places + (from as usize) * step) as usize) + 1
    const bytes = (load<u32>(places + (keptEnd as usize) * step) as usize) + 1 - start
    to -= bytes
    memory.copy(to, start, bytes)
    keptEnd = record
  }
  return to
}

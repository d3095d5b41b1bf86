// Scanner: the entry of the WebAssembly module. Consumes records in a window of memory that the host fills; between calls it
// keeps nothing but the dialect, so that its results cannot depend on how the file arrives.
import { beginWriting, wantedBytes, writtenEnd, writtenStart } from './rewrite'
import { NO_ROOM, LENIENT, UNFINISHED, passStrict } from './strict-records'
import {
  RESULT_EVENTS,
  RESULT_LINES,
  RESULT_LONE_ENDS,
  RESULT_OTHER_ENDS,
  RESULT_POSITION,
  RESULT_READABLE,
  RESULT_RECORDS,
  RESULT_WANTED,
  RESULT_WRITTEN_END,
  RESULT_WRITTEN_START,
} from './memory'
import { CONSUMED, consumeOne, wasLenient } from './lenient-records'
import {
  begin,
  eventCount,
  hasRoom,
  isLast,
  lineCount,
  loneEnds,
  otherEnds,
  position,
  readableCount,
  recordCount,
  windowEnd,
} from './scan-result'

export * from './dialect'
export { toUtf8 } from '../shared/single-byte'

// Why scan() returns; the host has the same numbers, and those of lenient-records.ts from NEEDS_MORE on.
const TABLE_FULL: u32 = 0
const NEEDS_MORE: u32 = 1

/**
 * Consumes records from `start`, the start of a record, as far as the bytes before `end` decide them. With `last`, the
 * file ends there, line end included, and all bytes are consumed.
 */
export function scan(start: usize, end: usize, last: bool): u32 {
  begin(start, end, last)
  beginWriting(end)
  let status = CONSUMED
  let isInRow = false
  while (status == CONSUMED) {
    if (position == windowEnd) {
      status = NEEDS_MORE
      break
    }
    // Lenient records come in groups: after one, the fast path would only find the next.
    const stopped = isInRow ? LENIENT : passStrict()
    if (stopped == NO_ROOM || !hasRoom()) {
      reportResult()
      return TABLE_FULL
    }
    if (position == windowEnd || (stopped == UNFINISHED && !isLast)) {
      status = NEEDS_MORE
      break
    }
    status = consumeOne()
    isInRow = wasLenient
  }
  reportResult()
  return status
}

function reportResult(): void {
  store<u32>(RESULT_POSITION, position as u32)
  store<u32>(RESULT_EVENTS, eventCount)
  store<u32>(RESULT_RECORDS, recordCount)
  store<u32>(RESULT_LINES, lineCount)
  store<u32>(RESULT_READABLE, readableCount)
  store<u32>(RESULT_WRITTEN_START, writtenStart as u32)
  store<u32>(RESULT_WRITTEN_END, writtenEnd as u32)
  store<u32>(RESULT_WANTED, wantedBytes as u32)
  store<u32>(RESULT_OTHER_ENDS, otherEnds != 0 ? 1 : 0)
  store<u32>(RESULT_LONE_ENDS, loneEnds != 0 ? 1 : 0)
}

// Memory: where everything lies. The host, src/reading/scanner/wasm-scanner.ts, keeps the same figures; it alone grows the memory.

/** What scan() tells beside its status: u32 each, in this order. */
export const RESULT: usize = 1024
export const RESULT_POSITION: usize = RESULT
export const RESULT_EVENTS: usize = RESULT + 4
export const RESULT_RECORDS: usize = RESULT + 8
export const RESULT_LINES: usize = RESULT + 12
export const RESULT_READABLE: usize = RESULT + 16
/** What was written clean: from the first byte to the end, and how many bytes of room the next record wants. */
export const RESULT_WRITTEN_START: usize = RESULT + 20
export const RESULT_WRITTEN_END: usize = RESULT + 24
export const RESULT_WANTED: usize = RESULT + 28

/** Table of everything that is not a strict record, in file order: u32 each, see emit() in scanner.ts. */
export const EVENTS: usize = 2048
export const EVENT_BYTES: usize = 32
export const EVENTS_MAX: u32 = 1984

/**
 * Readable records that are to be rejected all the same: u32 each, how many readable ones come before it in this call,
 * ascending, ended by NO_EXCLUSION. The host fills it before each call with EVENTS_MAX + 1 at most: a call ends at the first
 * one it has no room to tell of.
 */
export const EXCLUSIONS: usize = 65536
export const NO_EXCLUSION: u32 = 0xffffffff

/**
 * The bytes not consumed yet begin here or later; after their end so many bytes belong to the memory, of any value. What is
 * written clean comes behind them.
 */
export const WINDOW: usize = 73728
export const WINDOW_PAD_BYTES: usize = 64

// Memory: where everything lies. The host, src/reading/wasm-scanner.ts, keeps the same figures; it alone grows the memory.

/** What scan() tells beside its status: u32 each, in this order. */
export const RESULT: usize = 1024
export const RESULT_POSITION: usize = RESULT
export const RESULT_EVENTS: usize = RESULT + 4
export const RESULT_RECORDS: usize = RESULT + 8
export const RESULT_LINES: usize = RESULT + 12
export const RESULT_READABLE: usize = RESULT + 16

/** Table of everything that is not an honest record, in file order: u32 each, see emit() in scanner.ts. */
export const EVENTS: usize = 2048
export const EVENT_BYTES: usize = 32
export const EVENTS_MAX: u32 = 1984

/**
 * Readable records that are to be rejected all the same: u32 each, how many readable ones come before it in this call,
 * ascending, ended by NO_DROP. The host fills it before each call with EVENTS_MAX + 1 at most: a call ends at the first
 * drop it has no room to tell of.
 */
export const DROPS: usize = 65536
export const NO_DROP: u32 = 0xffffffff

/** The bytes not settled yet begin here or later; 64 bytes after their end belong to the memory, of any value. */
export const WINDOW: usize = 73728

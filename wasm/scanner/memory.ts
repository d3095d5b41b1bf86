// Memory: its layout. The host, src/reading/scanner/wasm-scanner.ts, has the same addresses; it alone grows the memory.

/** What scan() returns besides its status: u32 each, in this order. */
export const RESULT: usize = 1024
export const RESULT_POSITION: usize = RESULT
export const RESULT_EVENTS: usize = RESULT + 4
export const RESULT_RECORDS: usize = RESULT + 8
export const RESULT_LINES: usize = RESULT + 12
export const RESULT_READABLE: usize = RESULT + 16
/** Normalized records: where they begin and end, and how many bytes of room the next record needs. */
export const RESULT_WRITTEN_START: usize = RESULT + 20
export const RESULT_WRITTEN_END: usize = RESULT + 24
export const RESULT_WANTED: usize = RESULT + 28
/** Whether the bytes have the other line-end byte, and line ends without it before them. */
export const RESULT_OTHER_ENDS: usize = RESULT + 32
export const RESULT_LONE_ENDS: usize = RESULT + 36

/** Cached blocks of 64 bytes: the start of each, u32, then bits for its bytes, see special-bytes.ts. */
export const BLOCKS: usize = 1152
export const BLOCK_BYTES: usize = 32
export const BLOCKS_MAX: usize = 16

/** Table of everything but strict records, in file order: u32 each, see emit() in scan-result.ts. */
export const EVENTS: usize = 2048
export const EVENT_BYTES: usize = 32
export const EVENTS_MAX: u32 = 1984

/**
 * Readable records to be rejected: u32 each, the number of readable records before it in this call, ascending, ended by
 * NO_EXCLUSION. Before each call, the host writes at most EVENTS_MAX + 1: a call ends at the first one that it has no room
 * to report.
 */
export const EXCLUSIONS: usize = 65536
export const NO_EXCLUSION: u32 = 0xffffffff

/**
 * The bytes not yet consumed begin here or later; they are followed by this many bytes of any value, and then by
 * normalized records.
 */
export const WINDOW: usize = 73728
export const WINDOW_PAD_BYTES: usize = 64

// Peer: what a tool that takes CSV in has to be able to do for the comparison. Knows none.

/** A tool that is ready: started, with nothing in it. */
export interface RunningPeer extends AsyncDisposable {
  /** Takes one file in, and gives how long that took, in milliseconds. Whatever came of it is removed outside of that time. */
  take(path: string): Promise<number>
}

export interface Peer {
  readonly name: string
  /** What it is asked to do, and with which version. */
  readonly how: string
  /** What there is when it says that it is done, in words for a table. */
  readonly keeps: string
  readonly hashes: string
  readonly syncs: string
  /** A larger file would take too long, or more than its memory. Bytes. */
  readonly bytesMax?: number
  /** @throws {Error} when the tool cannot be had here: why. */
  open(directory: string): Promise<RunningPeer>
}

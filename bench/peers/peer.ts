// Peer: what a tool that ingests CSV must implement for the comparison. Knows no tool.

/** A started, empty tool. */
export interface RunningPeer extends AsyncDisposable {
  /** Ingests one file and returns how long that took, in milliseconds. Removing the result is not part of that time. */
  take(path: string): Promise<number>
}

export interface Peer {
  readonly name: string
  /** The command and the version. */
  readonly how: string
  /** What exists when the tool reports success, as text for a table. */
  readonly keeps: string
  readonly hashes: string
  readonly syncs: string
  /** Larger files take too long, or too much memory. Bytes. */
  readonly bytesMax?: number
  /** @throws {Error} with the reason, if the tool cannot be installed here. */
  open(directory: string): Promise<RunningPeer>
}

// Fair queue: jobs of several clients in turns, by what the jobs cost. Knows nothing of what they are.

interface Queued<Job> {
  readonly job: Job
  /** When it would end if all clients were served a little at a time, side by side. */
  readonly end: number
}

/**
 * Self-clocked fair queueing (Golestani, INFOCOM 1994): who has been given less goes first, and of a small job and a large
 * one the small. A client that comes anew counts as one that was given as much as the one whose job was last, so a small
 * job waits for no more than what is under way, and a large one for no more than its own cost of small ones.
 */
export class FairQueue<Job> {
  readonly #queued: Queued<Job>[] = []
  /** When the last job of each client would end; of those that are ahead of the rest. */
  readonly #endByClient = new Map<string, number>()
  #now = 0

  get length(): number {
    return this.#queued.length
  }

  push(client: string, cost: number, job: Job): void {
    const end = Math.max(this.#now, this.#endByClient.get(client) ?? 0) + cost
    this.#endByClient.set(client, end)
    this.#queued.push({ job, end })
  }

  /** The job whose turn it is; undefined when there is none. */
  shift(): Job | undefined {
    const next = this.#next()
    if (next === undefined) return undefined
    this.#queued.splice(this.#queued.indexOf(next), 1)
    this.#now = next.end
    for (const [client, end] of this.#endByClient) if (end <= this.#now) this.#endByClient.delete(client)
    return next.job
  }

  /** Takes those out that are not wanted any more. */
  remove(isUnwanted: (job: Job) => boolean): readonly Job[] {
    const unwanted = this.#queued.filter(({ job }) => isUnwanted(job))
    for (const one of unwanted) this.#queued.splice(this.#queued.indexOf(one), 1)
    return unwanted.map(({ job }) => job)
  }

  #next(): Queued<Job> | undefined {
    let next = this.#queued[0]
    for (const one of this.#queued) {
      if (next !== undefined && one.end < next.end) next = one
    }
    return next
  }
}

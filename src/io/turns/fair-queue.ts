// Fair queue: lets clients take turns, weighted by the cost of their jobs. Knows nothing of what the jobs are.

interface QueuedJob<Job> {
  readonly client: string
  readonly cost: number
  readonly job: Job
  /** When it would end if all clients were served side by side, a little at a time. */
  end: number
}

/**
 * Self-clocked fair queueing (Golestani, INFOCOM 1994): the client that has been given less goes first, and of a small
 * job and a large one, the small one. A new client starts level with the client served last, so a small job waits only
 * for jobs in progress, and a large one only for small ones of the same total cost.
 */
export class FairQueue<Job> {
  readonly #queued: QueuedJob<Job>[] = []
  /** When the last job of each client would end, for clients that are ahead of the rest. */
  readonly #endByClient = new Map<string, number>()
  #now = 0

  get length(): number {
    return this.#queued.length
  }

  push(client: string, cost: number, job: Job): void {
    const end = Math.max(this.#now, this.#endByClient.get(client) ?? 0) + cost
    this.#endByClient.set(client, end)
    this.#queued.push({ client, cost, job, end })
  }

  /** Removes and returns the next job; undefined if there is none. */
  shift(): Job | undefined {
    const next = this.#next()
    if (next === undefined) return undefined
    this.#queued.splice(this.#queued.indexOf(next), 1)
    this.#now = Math.max(this.#now, next.end)
    for (const [client, end] of this.#endByClient) if (end <= this.#now) this.#endByClient.delete(client)
    return next.job
  }

  /** Removes and returns the jobs that are no longer wanted. Their clients are not charged for them. */
  remove(isUnwanted: (job: Job) => boolean): readonly Job[] {
    const unwanted = this.#queued.filter(({ job }) => isUnwanted(job))
    for (const one of unwanted) {
      this.#queued.splice(this.#queued.indexOf(one), 1)
      this.#refund(one)
    }
    return unwanted.map(({ job }) => job)
  }

  #refund({ client, cost, end }: QueuedJob<Job>): void {
    const last = this.#endByClient.get(client)
    if (last === undefined) return
    if (last - cost > this.#now) this.#endByClient.set(client, last - cost)
    else this.#endByClient.delete(client)
    for (const later of this.#queued) {
      if (later.client === client && later.end > end) later.end = Math.max(this.#now + later.cost, later.end - cost)
    }
  }

  #next(): QueuedJob<Job> | undefined {
    let next = this.#queued[0]
    for (const one of this.#queued) {
      if (next !== undefined && one.end < next.end) next = one
    }
    return next
  }
}

// Unless aborted: waits for a promise until a signal is aborted. Knows nothing of what is waited for.

/** Rejects with the reason of `signal` if that is aborted first; the work behind the promise continues. */
export async function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

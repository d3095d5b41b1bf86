// Observe calls: wraps an object so that its calls can be observed. Knows nothing of metrics.

/** Called with the method name and the promise that the caller gets too. */
export type OnCall = (name: string, result: Promise<unknown>) => void

/** The same object; `onCall` is called for every method call that returns a promise, while it is pending. */
export function observed<Target extends object>(target: Target, onCall: OnCall): Target {
  return new Proxy(target, {
    get(inner, name) {
      const member: unknown = Reflect.get(inner, name, inner)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        // The object itself is `this`, since private members cannot be accessed through a proxy.
        const result: unknown = Reflect.apply(member, inner, given)
        if (result instanceof Promise) onCall(String(name), result)
        return result
      }
    },
  })
}

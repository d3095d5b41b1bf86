// Observe calls: an object whose calls are looked at from outside. Knows nothing of figures.

/** What is told of a call that gives a promise: its name, and the promise, which whoever called gets too. */
export type OnCall = (name: string, result: Promise<unknown>) => void

/** The same object; `onCall` is told of every call of a method that gives a promise, while it is in progress. */
export function observed<Target extends object>(target: Target, onCall: OnCall): Target {
  return new Proxy(target, {
    get(inner, name) {
      const member: unknown = Reflect.get(inner, name, inner)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]) => {
        // The object itself is `this`, since private members are not to be had through a proxy.
        const result: unknown = Reflect.apply(member, inner, given)
        if (result instanceof Promise) onCall(String(name), result)
        return result
      }
    },
  })
}

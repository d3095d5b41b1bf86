// Confined program: a program that a test starts instead of a reader or a query; it tries what its job says. Knows no limits.
import { linkSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { listenToParent, sendToParent } from './frames.ts'

/** An attempt, and its target. */
export type Attempt =
  | { readonly kind: 'read' | 'write' | 'make'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly toPath: string }
  | { readonly kind: 'signal'; readonly pid: number }
  | { readonly kind: 'connect'; readonly port: number }

export interface Attempts {
  readonly attempts: readonly Attempt[]
}

/** For each attempt whether it succeeded. */
export interface Outcomes {
  readonly succeeded: readonly boolean[]
}

async function succeeds(attempt: Attempt): Promise<boolean> {
  try {
    switch (attempt.kind) {
      case 'read':
        readFileSync(attempt.path)
        break
      case 'write':
        writeFileSync(attempt.path, 'overwritten', { flag: 'r+' })
        break
      case 'make':
        writeFileSync(attempt.path, 'made', { flag: 'wx' })
        break
      case 'link':
        linkSync(attempt.path, attempt.toPath)
        break
      case 'signal':
        // Sending it requires the same permissions as any other signal.
        process.kill(attempt.pid, 0)
        break
      case 'connect':
        return await connects(attempt.port)
    }
    return true
  } catch {
    return false
  }
}

function connects(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

// Code that imports only the types runs in a process without such messages.
if (import.meta.main) {
  listenToParent(async (message) => {
    const { attempts } = message as Attempts
    const succeeded: boolean[] = []
    for (const attempt of attempts) succeeded.push(await succeeds(attempt))
    sendToParent(JSON.stringify({ succeeded } satisfies Outcomes))
  })
}

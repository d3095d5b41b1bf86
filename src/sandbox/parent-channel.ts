// Parent channel: a child's end of the pipes to the service. Knows nothing of what the messages say.
import { answerDescriptor, readFrames, writeFrame } from './frames.ts'

/**
 * Calls back with each message of the service, parsed from JSON. Ends this process when the service is gone: there is
 * nobody left to work for, and nothing to clean up.
 */
export function listenToParent(onMessage: (message: unknown) => void): void {
  // systemd signals every process of a service at once, but uploads in progress still need their children.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  const exit = () => process.kill(process.pid, 'SIGKILL')
  void listen(onMessage).then(exit, exit)
}

async function listen(onMessage: (message: unknown) => void): Promise<void> {
  for await (const frame of readFrames(process.stdin, () => Number.POSITIVE_INFINITY)) {
    onMessage(JSON.parse(frame.toString()))
  }
}

/** Sends a frame; blocks while the service does not read. */
export function sendToParent(payload: string | Uint8Array): void {
  writeFrame(answerDescriptor, payload)
}

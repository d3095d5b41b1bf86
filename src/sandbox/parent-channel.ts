// Parent channel: a child's end of the pipes to the service, and its tie to it. Knows nothing of what the messages say.
import { answerDescriptor, readFrames, writeFrame } from './frames.ts'

/**
 * Calls back with each message of the service, parsed from JSON, and ends this process when the service is gone: then it
 * has nobody to work for, and nothing to tidy up.
 */
export function listenToParent(onMessage: (message: unknown) => void): void {
  // systemd stops every process of a service at once: uploads are to finish first, and for that the service needs its children.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  const exit = () => process.kill(process.pid, 'SIGKILL')
  void listen(onMessage).then(exit, exit)
}

async function listen(onMessage: (message: unknown) => void): Promise<void> {
  for await (const frame of readFrames(process.stdin, () => Number.POSITIVE_INFINITY)) {
    onMessage(JSON.parse(frame.toString()))
  }
}

/** Sends a frame; waits while the service does not read. */
export function sendToParent(payload: string | Uint8Array): void {
  writeFrame(answerDescriptor, payload)
}

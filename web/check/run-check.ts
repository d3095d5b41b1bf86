// Run check: checks a file in a worker, whose code is loaded when it is first needed.
import type { CheckOptions, CheckProgress, ProvisionalReceipt } from './provisional.ts'

export interface CheckRequest {
  readonly file: File
  readonly options: CheckOptions
}

export type CheckReply =
  | { readonly kind: 'progress'; readonly progress: CheckProgress }
  | { readonly kind: 'done'; readonly receipt: ProvisionalReceipt }
  | { readonly kind: 'failed'; readonly message: string; readonly refusal: RefusalFacts | null }

/** What the service would refuse, too: the exception of its error record, and what was seen. */
export interface RefusalFacts {
  readonly exception: string
  readonly details: Readonly<Record<string, unknown>>
}

/** The same as an error, with the message of the service. */
export class Refusal extends Error implements RefusalFacts {
  readonly exception: string
  readonly details: RefusalFacts['details']

  constructor(message: string, { exception, details }: RefusalFacts) {
    super(message)
    this.exception = exception
    this.details = details
  }
}

/** Inserted by scripts/build-web.mjs. */
declare const checkWorkerUrl: string

/** Trusted Types: the only address that a worker of this page may have. */
const policy = globalThis.trustedTypes?.createPolicy('check-worker', { createScriptURL: () => checkWorkerUrl })

/** @throws {Refusal} Also rejects with the reason of the signal. */
export function runCheck(
  file: File,
  options: CheckOptions,
  onProgress: (progress: CheckProgress) => void,
  signal: AbortSignal,
): Promise<ProvisionalReceipt> {
  return new Promise<ProvisionalReceipt>((resolve, reject) => {
    signal.throwIfAborted()
    const worker = new Worker(policy?.createScriptURL('') ?? checkWorkerUrl, { type: 'module' })
    const end = () => worker.terminate()
    signal.addEventListener('abort', () => {
      end()
      reject(signal.reason)
    })
    worker.onmessage = ({ data }: MessageEvent<CheckReply>) => {
      if (data.kind === 'progress') return onProgress(data.progress)
      end()
      if (data.kind === 'done') resolve(data.receipt)
      else reject(data.refusal === null ? new Error(data.message) : new Refusal(data.message, data.refusal))
    }
    worker.onerror = (event) => {
      end()
      reject(new Error(event.message || 'the check could not be started'))
    }
    worker.postMessage({ file, options } satisfies CheckRequest)
  })
}

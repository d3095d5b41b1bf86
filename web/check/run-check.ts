// Run check: checks a file in a worker, whose code is loaded when it is first needed.
import { ApiError } from '../api.ts'
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

/** Inserted by scripts/build-web.mjs. */
declare const checkWorkerUrl: string

/** Trusted Types: the only address that a worker of this page may have. */
const policy = globalThis.trustedTypes?.createPolicy('check-worker', { createScriptURL: () => checkWorkerUrl })

/** @throws {ApiError} What the service would refuse, too. Also rejects with the reason of the signal. */
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
      else
        reject(
          data.refusal === null
            ? new Error(data.message)
            : new ApiError(422, data.message, data.refusal.exception, data.refusal.details),
        )
    }
    worker.onerror = (event) => {
      end()
      reject(new Error(event.message || 'the check could not be started'))
    }
    worker.postMessage({ file, options } satisfies CheckRequest)
  })
}

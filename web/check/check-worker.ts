// Check worker: checks one file in the background, so that the page stays responsive. Knows the messages.
import columnsUrl from '../../build/columns.wasm'
import scannerUrl from '../../build/scanner.wasm'
import { ServiceError } from '../../src/core/errors.ts'
import { checkFile } from './check-file.ts'
import { fileSource } from './file-source.ts'
import { setModules } from './platform/wasm-modules.ts'
import type { CheckReply, CheckRequest } from './run-check.ts'

const progressMs = 100

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) => {
  check(data).then(
    (receipt) => reply({ kind: 'done', receipt }),
    (error: unknown) => reply(failureOf(error)),
  )
})

function failureOf(error: unknown): CheckReply {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof ServiceError)) return { kind: 'failed', message, refusal: null }
  const { exception, details }: ServiceError = error
  return { kind: 'failed', message, refusal: { exception, details } }
}

async function check({ file, options }: CheckRequest) {
  const compile = (url: string) => WebAssembly.compileStreaming(fetch(url))
  setModules(...(await Promise.all([compile(scannerUrl), compile(columnsUrl)])))
  let postedMs = 0
  return checkFile(await fileSource(file), options, (progress) => {
    const nowMs = performance.now()
    if (nowMs - postedMs < progressMs) return
    postedMs = nowMs
    reply({ kind: 'progress', progress })
  })
}

function reply(message: CheckReply): void {
  postMessage(message)
}

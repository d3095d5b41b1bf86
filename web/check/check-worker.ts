// Check worker: checks one file, or reads texts as records, in the background, so that the page stays responsive. Knows the messages.
import columnsUrl from '../../build/columns.wasm'
import scannerUrl from '../../build/scanner.wasm'
import { ServiceError } from '../../src/core/errors.ts'
import { checkFile } from './check-file.ts'
import { fileSource, NoDecoder } from './file-source.ts'
import { keepModules } from './platform/wasm-modules.ts'
import type { CheckReply, CheckRequest } from './run-check.ts'
import { readTexts } from './texts/read-texts.ts'
import type { TextsReply, TextsRequest } from './texts/text-reader.ts'

const progressMs = 100

let loading: Promise<void> | undefined

addEventListener('message', ({ data }: MessageEvent<CheckRequest | TextsRequest>) => {
  if (data.kind === 'texts') {
    const respond = (readings: TextsReply['readings']) => postMessage({ readings } satisfies TextsReply)
    loadOnce()
      .then(() => readTexts(data.layout, data.texts))
      .then(respond, () => respond(null))
    return
  }
  check(data).then(
    (receipt) => reply({ kind: 'done', receipt }),
    (error: unknown) => reply(failureOf(error)),
  )
})

function failureOf(error: unknown): CheckReply {
  if (error instanceof NoDecoder) return { kind: 'undecodable' }
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof ServiceError)) return { kind: 'failed', message, refusal: null }
  const { exception, details }: ServiceError = error
  return { kind: 'failed', message, refusal: { exception, details } }
}

async function check({ file, options }: CheckRequest) {
  await loadOnce()
  let postedMs = 0
  return checkFile(await fileSource(file), options, (progress) => {
    const nowMs = performance.now()
    if (nowMs - postedMs < progressMs) return
    postedMs = nowMs
    reply({ kind: 'progress', progress })
  })
}

function loadOnce(): Promise<void> {
  const compile = (url: string) => WebAssembly.compileStreaming(fetch(url))
  loading ??= Promise.all([compile(scannerUrl), compile(columnsUrl)]).then((modules) => keepModules(...modules))
  return loading
}

function reply(message: CheckReply): void {
  postMessage(message)
}

// Outcome faults: the differences between an outcome and what a wire case expects, as sentences.
import { type Answer, hasWord, headerValues } from './answers.ts'
import type { Outcome } from './replay.ts'
import type { Expectation, WireCase } from './wire-case.ts'

const fields = ['timestamp', 'status', 'error', 'exception', 'message', 'path']
const contentType = 'application/json;charset=UTF-8'
const dayMs = 86_400_000
const phrases: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [408, 'Request Timeout'],
  [412, 'Precondition Failed'],
  [413, 'Payload Too Large'],
  [415, 'Unsupported Media Type'],
  [416, 'Range Not Satisfiable'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [422, 'Unprocessable Entity'],
  [431, 'Request Header Fields Too Large'],
  [500, 'Internal Server Error'],
  [503, 'Service Unavailable'],
  [505, 'HTTP Version Not Supported'],
  [507, 'Insufficient Storage'],
])

/** Empty if everything is as expected. */
export function outcomeFaults({ expect }: WireCase, outcome: Outcome): readonly string[] {
  const [answer] = outcome.final
  if (answer === undefined) {
    if (expect.responseOptional) return []
    return [`no answer (received ${JSON.stringify(outcome.raw.toString('latin1', 0, 60))})`]
  }
  const wanted = expect.statusIn ?? [expect.status]
  if (!wanted.includes(answer.status)) {
    return [`status ${answer.status}, expected ${wanted.join(' or ')}: ${answer.body.toString('utf8').slice(0, 160)}`]
  }
  return [
    ...(answer.statusLine.startsWith('HTTP/1.1 ') ? [] : [`status line ${answer.statusLine}`]),
    ...(answer.isWhole ? [] : ['the answer is cut short']),
    ...bodyFaults(answer, outcome, expect),
    ...framingFaults(answer, expect),
    ...closingFaults(answer, outcome, expect),
    ...countFaults(answer, outcome, expect),
    ...allowFaults(answer, expect),
    ...continueFaults(outcome, expect),
  ]
}

/** Whether the server must close after this response; 'any' if it may. */
export function mustClose({ status }: Answer, { closes }: Expectation): boolean | 'any' {
  return closes === 'by-status' ? status >= 400 || 'any' : closes
}

/** Reasons why a response is not a complete error record. */
export function recordFaults(answer: Answer, expect: Partial<Expectation> = {}): readonly string[] {
  const faults: string[] = []
  const [type] = headerValues(answer, 'content-type')
  if (type !== contentType) faults.push(`content type ${type}`)
  const [caching] = headerValues(answer, 'cache-control')
  if (caching !== 'no-store') faults.push(`Cache-Control ${caching}`)
  const record = parseObject(answer.body)
  if (record === null || Object.keys(record).join() !== fields.join()) {
    return [...faults, `fields ${record && Object.keys(record).join()}`]
  }
  const { timestamp } = record
  if (!Number.isInteger(timestamp) || Math.abs(Number(timestamp) - Date.now()) > dayMs) faults.push(`time ${timestamp}`)
  if (record.status !== answer.status) faults.push(`status ${record.status} in the record, ${answer.status} outside`)
  const phrase = phrases.get(answer.status)
  if (phrase === undefined || record.error !== phrase) faults.push(`error ${record.error}, expected ${phrase}`)
  for (const name of ['exception', 'message', 'path'] as const) {
    const value = record[name]
    const allowed = name === 'path' ? undefined : expect[`${name}In`]
    if (typeof value !== 'string' || value === '') faults.push(`${name} is no text`)
    else if (expect[name] !== undefined && value !== expect[name]) faults.push(`${name} ${value}`)
    else if (allowed !== undefined && !allowed.includes(value)) faults.push(`${name} ${value}`)
  }
  if (expect.messageMatch !== undefined && !new RegExp(expect.messageMatch, 'i').test(String(record.message))) {
    faults.push(`message ${record.message} does not match ${expect.messageMatch}`)
  }
  return faults
}

function bodyFaults(answer: Answer, outcome: Outcome, expect: Expectation): readonly string[] {
  const isError = answer.status >= 400
  const isReceipt = answer.status === 200 && headerValues(answer, 'allow').length === 0
  const byStatus = isError ? 'error' : isReceipt ? 'success' : 'any'
  const body = expect.body === 'by-status' ? byStatus : expect.body
  if (body === 'error') return recordFaults(answer, expect)
  if (body === 'success') return outcome.final.flatMap((one) => receiptFaults(one, expect))
  return []
}

function receiptFaults(answer: Answer, { file }: Expectation): readonly string[] {
  const faults: string[] = []
  const [type] = headerValues(answer, 'content-type')
  if (type !== contentType) faults.push(`content type ${type}`)
  const [caching] = headerValues(answer, 'cache-control')
  if (caching !== 'no-store') faults.push(`Cache-Control ${caching}`)
  const receipt = parseObject(answer.body)
  if (receipt === null) return [...faults, 'the body is no JSON object']
  const { sha256 } = (receipt.file ?? {}) as { readonly sha256?: string }
  if (file !== undefined && sha256 !== file.sha256) faults.push(`file.sha256 ${sha256} is not that of the part`)
  return faults
}

function framingFaults(answer: Answer, { framing, body }: Expectation): readonly string[] {
  if (framing === 'chunked' && body === 'error' && answer.framing !== 'chunked') return [`framing ${answer.framing}`]
  if (framing === 'not-chunked' && answer.framing === 'chunked') return ['chunked, though the request was HTTP/1.0']
  return []
}

function closingFaults(answer: Answer, { hasEnded }: Outcome, expect: Expectation): readonly string[] {
  const saysClose = hasWord(answer, 'connection', 'close')
  const closes = mustClose(answer, expect)
  if (closes === true) {
    return [...(hasEnded ? [] : ['the connection stays open']), ...(saysClose ? [] : ['no Connection: close'])]
  }
  return closes === false && (hasEnded || saysClose) ? ['the connection is closed'] : []
}

function countFaults(answer: Answer, { final }: Outcome, { answers }: Expectation): readonly string[] {
  if (answers === undefined) return []
  if (final.length !== answers) return [`${final.length} answers, expected ${answers}`]
  return final.every(({ status }) => status === answer.status) ? [] : ['the answers differ']
}

function allowFaults(answer: Answer, { allow }: Expectation): readonly string[] {
  if (allow === undefined) return []
  const seen = headerValues(answer, 'allow').flatMap((value) => value.split(',').map((one) => one.trim()))
  const isMissing = allow.some((method) => !seen.includes(method))
  const isMore = answer.status >= 400 && seen.some((method) => !allow.includes(method) && method !== 'OPTIONS')
  return isMissing || isMore ? [`Allow ${seen.join()}, expected ${allow.join()}`] : []
}

function continueFaults({ interim, continuedBeforeBody }: Outcome, expect: Expectation): readonly string[] {
  const hasContinued = interim.some(({ status }) => status === 100)
  const wanted = expect.interim100 ?? false
  if (wanted === true && !hasContinued) return ['no 100 Continue']
  if (wanted === true && continuedBeforeBody === false) return ['100 Continue came only after the body']
  return wanted === false && hasContinued ? ['100 Continue was not asked for'] : []
}

function parseObject(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

// Answers: parses HTTP responses from raw bytes, so that tests see framing and closing as a client does.

export type Framing = 'chunked' | 'content-length' | 'until-close' | 'none'

export interface Answer {
  readonly statusLine: string
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
  readonly framing: Framing
  readonly isWhole: boolean
}

export interface Answers {
  readonly interim: readonly Answer[]
  readonly final: readonly Answer[]
}

/** Values of a header, `name` in lower case. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
}

/** Whether one of the comma-separated words of a header is `word`, ignoring case. */
export function hasWord(answer: Answer, name: string, word: string): boolean {
  return headerValues(answer, name).some((value) => value.split(',').some((one) => one.trim().toLowerCase() === word))
}

/** The responses on one connection, parsed as bytes arrive. */
export class ResponseReader {
  readonly #isHead: boolean
  readonly #interim: Answer[] = []
  readonly #whole: Answer[] = []
  /** Where the first incomplete response begins. */
  #at = 0

  /** @param isHead Responses have no bodies. */
  constructor(isHead: boolean) {
    this.#isHead = isHead
  }

  /**
   * All responses in the bytes received so far; the last may be incomplete.
   *
   * @param raw Begins with the bytes of the previous call.
   */
  read(raw: Buffer, hasEnded: boolean): Answers {
    const interim = this.#interim
    const whole = this.#whole
    while (true) {
      const headEnd = raw.indexOf('\r\n\r\n', this.#at)
      if (headEnd < 0) return { interim: [...interim], final: [...whole] }
      const head = parseHead(raw.toString('latin1', this.#at, headEnd))
      if (head.status >= 100 && head.status < 200) {
        interim.push(head)
        this.#at = headEnd + 4
        continue
      }
      const { answer, end } = readBody(head, raw, headEnd + 4, hasEnded, this.#isHead)
      if (end === null) return { interim: [...interim], final: [...whole, answer] }
      whole.push(answer)
      this.#at = end
    }
  }
}

function parseHead(text: string): Answer {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const
  })
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? 0)
  return { statusLine, status, headers, body: Buffer.alloc(0), framing: 'none', isWhole: true }
}

/** The response with its body, and where it ends; null if no further one can follow in these bytes. */
function readBody(
  head: Answer,
  raw: Buffer,
  at: number,
  hasEnded: boolean,
  isHead: boolean,
): { readonly answer: Answer; readonly end: number | null } {
  if (isHead || head.status === 204 || head.status === 304) return { answer: head, end: at }
  if (hasWord(head, 'transfer-encoding', 'chunked')) {
    const { body, end } = readChunks(raw, at)
    return { answer: { ...head, body, framing: 'chunked', isWhole: end !== null }, end }
  }
  const [length] = headerValues(head, 'content-length')
  if (length === undefined) {
    const body = raw.subarray(at)
    return { answer: { ...head, body, framing: 'until-close', isWhole: hasEnded }, end: null }
  }
  const end = at + Number(length)
  const isWhole = raw.length >= end
  const answer: Answer = { ...head, body: raw.subarray(at, end), framing: 'content-length', isWhole }
  return { answer, end: isWhole ? end : null }
}

function readChunks(raw: Buffer, start: number): { readonly body: Buffer; readonly end: number | null } {
  const pieces: Buffer[] = []
  let at = start
  while (true) {
    const lineEnd = raw.indexOf('\r\n', at)
    if (lineEnd < 0) return { body: Buffer.concat(pieces), end: null }
    const sizeText = raw.toString('latin1', at, lineEnd)
    if (!/^[0-9a-f]+$/i.test(sizeText)) return { body: Buffer.concat(pieces), end: null }
    const size = Number.parseInt(sizeText, 16)
    const dataEnd = lineEnd + 2 + size
    pieces.push(raw.subarray(lineEnd + 2, dataEnd))
    if (raw.length < dataEnd + 2) return { body: Buffer.concat(pieces), end: null }
    at = dataEnd + 2
    if (size === 0) return { body: Buffer.concat(pieces), end: at }
  }
}

// Replay: sends a wire case byte for byte over a socket and returns the outcome.
import { setTimeout as pause } from 'node:timers/promises'
import type { Answers } from './answers.ts'
import { Conversation } from './conversation.ts'
import { mustClose } from './outcome-faults.ts'
import type { WireCase } from './wire-case.ts'

export interface Outcome extends Answers {
  readonly hasEnded: boolean
  /** Whether 100 Continue had arrived before the body was sent; null if the case does not wait for it. */
  readonly continuedBeforeBody: boolean | null
  readonly raw: Buffer
}

/** How long a connection must stay open after a success to count as open. */
const openMs = 400
/** How long to wait for what may come or not: an optional response, or 100 Continue if it is not required. */
const optionalMs = 3_000
/** Delay between the pieces of a body, so that they arrive separately. */
const betweenWritesMs = 3

export async function replay({ request, play, expect }: WireCase, port: number): Promise<Outcome> {
  const { head, body } = splitHead(request)
  using talk = await Conversation.open(port, head.toString('latin1').trimStart().startsWith('HEAD '))
  let continuedBeforeBody: boolean | null = null
  if (play.wait100) {
    await talk.send(head)
    const hasHead = () => talk.hasEnded || talk.raw.includes('\r\n\r\n')
    if (expect.interim100 === true) await talk.until('100 or a response has come', hasHead)
    else await talk.within(optionalMs, hasHead)
    const { interim, final } = talk.answers
    continuedBeforeBody = interim.some(({ status }) => status === 100)
    if (final.length === 0 && !talk.hasEnded) await talk.send(body)
  } else if (play.noBody) {
    await talk.send(head)
  } else if (play.writeBytes !== undefined) {
    await talk.send(head)
    for (let start = 0; start < body.length; start += play.writeBytes) {
      await talk.send(body.subarray(start, start + play.writeBytes))
      await pause(betweenWritesMs)
    }
  } else {
    await talk.send(request)
  }
  if (play.halfClose) talk.socket.end()

  const hasBegun = () => talk.hasEnded || talk.raw.length > 0
  if (!expect.responseOptional || (await talk.within(optionalMs, hasBegun))) await talk.answered(expect.answers ?? 1)
  const [answer] = talk.answers.final
  if (answer !== undefined && mustClose(answer, expect) === true) await talk.ended()
  else if (answer !== undefined) await talk.within(openMs, () => talk.hasEnded)
  return { ...talk.answers, hasEnded: talk.hasEnded, continuedBeforeBody, raw: talk.raw }
}

function splitHead(request: Buffer): { readonly head: Buffer; readonly body: Buffer } {
  let lead = 0
  while (request[lead] === 0x0d || request[lead] === 0x0a) lead += 1
  const end = request.indexOf('\r\n\r\n', lead)
  const cut = end < 0 ? request.length : end + 4
  return { head: request.subarray(0, cut), body: request.subarray(cut) }
}

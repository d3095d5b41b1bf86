// Hostile child: a program that a test starts instead of a reader or a query, and that misbehaves as its job says.
import { writeFileSync, writeSync } from 'node:fs'
import { frameOf, listenToParent, readyText, resultDescriptor, sendToParent, writeFrame } from './frames.ts'

/** Ways to misbehave. A job that contains one of these names after `hostile: ` selects it. */
export const attacks = [
  'acknowledge a handle in a frame',
  'acknowledge a handle without a frame',
  'send 700 MB in one frame',
  'send garbage',
  'send half a frame and end',
  'send half a length and end',
  'send what is not JSON',
  'send JSON of another shape',
  'send JSON that is nested deeply',
  'answer without end',
  'answer twice',
  'flood standard error',
] as const
export type Attack = (typeof attacks)[number]

const megabyte = Buffer.alloc(1_000_000, 'x')
const handleAck = '{"cmd":"NODE_HANDLE_ACK"}'

/** Whether it replaces a query: a query gets its settings as JSON when started. */
const isQuery = process.argv[2]?.startsWith('{') ?? false
const validResponse = isQuery ? '{"kind":"begun"}' : '{"kind":"answer","answer":[[null]]}'

function writeRaw(bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(resultDescriptor, bytes, written)
}

function sendForever(payload: string | Uint8Array): never {
  for (;;) sendToParent(payload)
}

function end(): never {
  process.exit(0)
}

const deeds: Readonly<Record<Attack, () => void>> = {
  'acknowledge a handle in a frame': () => sendToParent(handleAck),
  'acknowledge a handle without a frame': () => writeRaw(Buffer.from(`${handleAck}\n`)),
  'send 700 MB in one frame': () => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(700 * megabyte.length)
    writeRaw(length)
    for (let i = 0; i < 700; i++) writeRaw(megabyte)
  },
  'send garbage': () => {
    for (;;) writeRaw(megabyte)
  },
  'send half a frame and end': () => {
    writeRaw(frameOf(validResponse).subarray(0, 10))
    end()
  },
  'send half a length and end': () => {
    writeRaw(Buffer.alloc(2))
    end()
  },
  'send what is not JSON': () => sendToParent(validResponse.slice(1)),
  'send JSON of another shape': () => sendToParent('{"kind":"answer","answer":{"0":null,"length":1}}'),
  'send JSON that is nested deeply': () => sendToParent('['.repeat(60_000)),
  'answer without end': () => {
    sendToParent(validResponse)
    sendForever(isQuery ? megabyte.subarray(0, 60_000) : validResponse)
  },
  'answer twice': () => {
    sendToParent(validResponse)
    sendToParent(validResponse)
    if (isQuery) sendForever(validResponse)
  },
  'flood standard error': () => {
    for (;;) writeSync(2, megabyte)
  },
}

// Code that imports only the names is not started as a program.
if (import.meta.main) {
  // A query may create files here; the rest of its limits apply to each of them.
  const fillDisk = () => {
    for (let i = 0; ; i++) writeFileSync(`out/${i}`, megabyte)
  }
  listenToParent((job) => {
    const text = JSON.stringify(job)
    if (text.includes('hostile: say nothing')) return
    const misdeed = attacks.find((name) => text.includes(`hostile: ${name}`))
    if (misdeed !== undefined) return deeds[misdeed]()
    if (text.includes('hostile: fill the disk')) return fillDisk()
    sendToParent(validResponse)
    if (isQuery) sendToParent('')
    sendToParent(readyText)
  })
  writeFrame(resultDescriptor, readyText)
  if (process.argv[2]?.includes('"memoryBytesMax":1,')) sendForever('unasked')
}

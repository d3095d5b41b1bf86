// Bare server: Node's HTTP server, which drops the bodies it receives. Answers each line on stdin with its URL, as JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

const server = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => {
    response.write('{}')
    response.end()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
// On a port, this is an address object.
const { port } = server.address() as AddressInfo
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
}
server.close()
